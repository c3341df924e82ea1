//! Signs that are found by code and not by a pattern.

/// Makes the enumeration, its list and its names of one list.
macro_rules! coded {
    ($($(#[$doc:meta])* $sign:ident $name:literal,)*) => {
        /// A sign that is found by code. Its number in the table is its place here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Coded {
            $($(#[$doc])* $sign,)*
        }

        impl Coded {
            /// Every such sign, by number.
            pub const ALL: &[Coded] = &[$(Coded::$sign,)*];

            /// Its name in the table.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Coded::$sign => $name,)*
                }
            }
        }
    };
}

coded! {
    /// Some of the call's text is not looked at.
    Cut "cut",
    /// It has commands.
    Commands "commands",
    /// It reads files.
    Reads "reads",
    /// It writes files.
    Writes "writes",
    /// It deletes files.
    Deletes "deletes",
    /// All commands only read.
    EveryRead "every_read",
    /// All commands read, test or build.
    EveryBuild "every_build",
    /// All commands are ordinary work on a project.
    EveryWork "every_work",
    /// All commands make keys, or close them to others.
    KeyMade "key_made",
    /// All that is written are settings of a shell: a path to programs, a plain alias.
    ShellLine "shell_line",
    /// Nothing is deleted but what can be made again.
    ScratchOnly "scratch_only",
    /// A host is this machine or its network.
    HostLocal "host_local",
    /// A host is none of those.
    HostAny "host_any",
    /// A host is an address.
    HostIp "host_ip",
    /// A host's name tells that it is the user's own.
    HostInternal "host_internal",
    /// A firewall is told to let a network in that the intent does not name.
    NetworkLetIn "network_let_in",
    /// The intent names a host.
    HostNamed "host_named",
    /// A host is named nowhere and not well known.
    HostUnnamed "host_unnamed",
    /// The intent names a mail address.
    MailNamed "mail_named",
    /// A mail address is neither named nor the user's own.
    MailUnnamed "mail_unnamed",
    /// A host or a mail address that is not named has a domain that looks like one that is.
    LooksAlike "looks_alike",
    /// A recipient is not named, beside one that is.
    RecipientBeside "recipient_beside",
    /// A number of the intent is in the action.
    NamedNumber "named_number",
    /// Several words of the intent are.
    NamedThing "named_thing",
    /// Any word or number of the intent is in the action's text or the tool's name.
    WordShared "word_shared",
    /// The intent has a number.
    AmountAsked "amount_asked",
    /// A sum of money is none of the intent's.
    AmountUnnamed "amount_unnamed",
    /// A sum of money that the intent does not name is more than one beside it that it names.
    AmountBeside "amount_beside",
    /// No table is named in the intent.
    TableUnnamed "table_unnamed",
    /// Statements of SQL are all that is run, and every one of them only reads.
    SqlReads "sql_reads",
    /// A statement deletes rows of a table without a condition.
    SqlDeletesAll "sql_delete_all",
    /// A statement changes rows of one without a condition.
    SqlUpdatesAll "sql_updates_all",
    /// A file that is deleted is named in the intent.
    DeletesNamed "deletes_named",
    /// A file that is deleted is not.
    DeletesUnnamed "deletes_unnamed",
    /// What the tool is for is not named in the intent.
    ObjectUnnamed "object_unnamed",
    /// The last part of the tool's name, behind that of a service, is not named either.
    ActUnnamed "act_unnamed",
    /// That last part is a single word, which says what is done and not to what.
    ActBare "act_bare",
    /// An argument names a person whom the intent does not name.
    PersonUnnamed "person_unnamed",
}

impl Coded {
    /// Its number in the table.
    pub const fn sign(self) -> usize {
        self as usize
    }
}
