//! Whether an intent is in English, the one language that is read.
//!
//! Words that hold a sentence together tell most: nearly every English request has one that no other
//! language has. Some stand in several languages (`an`, `in`, `was`) and count half. A request without
//! any of them is English where most of its words are, as far as the vocabulary of an embedder knows.

use super::words::stem;
use crate::embed::{fold, is_common_word};
use std::cmp::Ordering;

/// Tokens of an intent that are looked at.
const TOKENS: usize = 1000;

/// Words that hold English sentences together, and are none of another language that is listed.
const ENGLISH: &[&str] = &[
    "about", "after", "again", "and", "any", "anything", "are", "been", "before", "both", "but",
    "could", "each", "every", "for", "from", "get", "had", "have", "his", "how", "into", "it",
    "its", "last", "let", "make", "more", "my", "new", "next", "not", "of", "off", "our", "out",
    "please", "should", "some", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "up", "we", "what", "when", "where", "whether", "which", "who", "why", "with",
    "without", "would", "you", "your",
];

/// Those that are words of another language too.
const SHARED: &[&str] = &[
    "a", "all", "am", "an", "as", "at", "be", "by", "do", "has", "he", "her", "i", "if", "in",
    "is", "me", "no", "on", "or", "so", "to", "us", "was", "will",
];

/// Words that hold sentences of German, French, Spanish, Italian, Portuguese, Dutch, Polish, Danish,
/// Swedish and Turkish together, without their accents.
const FOREIGN: &[&str] = &[
    "aan", "aber", "aby", "af", "agli", "al", "albo", "algo", "alla", "alle", "allo", "als",
    "anche", "ao", "aos", "att", "au", "auch", "auf", "aus", "aux", "av", "avec", "bardzo", "bei",
    "beim", "bez", "bij", "bir", "bis", "bitte", "byc", "ce", "ces", "cette", "che", "cok", "como",
    "con", "cuando", "czy", "da", "daha", "dal", "dalla", "dans", "das", "dass", "dat", "de",
    "degli", "dei", "del", "della", "delle", "dem", "den", "der", "des", "desde", "det", "deze",
    "di", "dich", "die", "din", "dir", "dla", "donde", "dos", "du", "durch", "een", "ein", "eine",
    "einem", "einen", "einer", "el", "ela", "ella", "en", "es", "essa", "est", "esta", "este",
    "esto", "et", "etre", "ett", "eu", "faire", "foi", "fuer", "fur", "gdzie", "geen", "gegen",
    "gli", "haben", "har", "hasta", "heb", "het", "hij", "hoe", "ich", "icin", "ihm", "ihr", "ik",
    "ikke", "il", "ile", "im", "inte", "isso", "ist", "ja", "jag", "jak", "je", "jeg", "jego",
    "jej", "jest", "jij", "juz", "kann", "ktore", "ktory", "la", "las", "le", "les", "leur", "los",
    "lub", "ma", "maar", "mais", "mas", "mein", "meine", "meinem", "meinen", "meiner", "mes",
    "meu", "meus", "mi", "mia", "mich", "mie", "miei", "mig", "mijn", "mina", "minha", "minhas",
    "mio", "mir", "mis", "mit", "mitt", "mnie", "moi", "moich", "moim", "moj", "moja", "moje",
    "mon", "mozna", "muy", "na", "naar", "nach", "nao", "ne", "nei", "nel", "nella", "neu", "neue",
    "neuen", "nicht", "nie", "niet", "nog", "nos", "notre", "nous", "nowe", "nowy", "nuestra",
    "nuestro", "nur", "och", "od", "oder", "og", "ogni", "om", "ons", "onze", "ook", "op", "oraz",
    "ou", "pa", "para", "pela", "pelo", "pero", "piu", "por", "porque", "pour", "prosze", "przez",
    "przy", "que", "questa", "questo", "qui", "sa", "sans", "se", "sem", "ses", "seu", "sich",
    "sie", "sig", "sind", "sobre", "soll", "som", "sono", "sont", "su", "sua", "suas", "sul",
    "sulla", "sur", "sus", "swoje", "tambem", "te", "tego", "tej", "tes", "til", "todas", "todo",
    "todos", "toi", "tot", "tra", "tu", "tuo", "tym", "uber", "ueber", "uit", "um", "uma", "un",
    "una", "und", "une", "uno", "unos", "uns", "unser", "unsere", "unseren", "van", "veel", "vom",
    "von", "voor", "vor", "vos", "votre", "vous", "wie", "wil", "wir", "ya", "za", "ze", "zijn",
    "zu", "zum", "zur", "zwei",
];

/// Words of requests that are too new, or too much of a trade, for a common vocabulary.
const TASKS: &str = "\
    admin analyse analytics antivirus archive backup benchmark bisect calibrate changelog \
    checkout config configure convert dashboard debug declutter decommission dedupe delete \
    deploy detect disable docker downgrade download draft duplicate email enable erase exclude \
    export extract fetch firewall firmware fix format frontend git grep groceries homepage \
    import inbox insert install inventory invite invoice invoices kubernetes ledger lint log \
    login logs mailbox malware merge migrate newsletter nginx notify npm offboard onboard \
    onboarding optimise optimize organise organize parser payroll phishing pin plumber profile \
    proofread prune purge query queue rebase reboot receipt receipts redact redis refactor \
    refill refund reimburse reindex reinstall remind rename reorder reply repo repository \
    reroute reschedule reset resize restart retro revert revoke rotate router sandbox schedule \
    screenshot screenshots shortlist spam spreadsheet standup subscribe subtitles summarise \
    summarize sync template terraform thermostat ticket tickets tidy timesheet timetable \
    transcode transcribe transcript translate triage typo typos unblock uninstall unlock unmute \
    unread unsubscribe update upgrade upload webhook wifi wiki workflow";

/// Whether an intent is English, as far as its words tell.
pub fn is_english(intent: &str) -> bool {
    let (mut english, mut shared, mut foreign) = (0_usize, 0_usize, 0_usize);
    each_word(intent, |word, is_name| {
        let is = |list: &[&str]| list.binary_search(&word).is_ok();
        if is(ENGLISH) {
            english += 1;
        } else if is(SHARED) {
            shared += 1;
        } else if !is_name && is(FOREIGN) {
            foreign += 1;
        }
    });
    if english == 0 && foreign == 0 {
        return is_known(intent);
    }
    match (2 * english + shared).cmp(&(2 * foreign)) {
        Ordering::Greater => true,
        Ordering::Equal => intent.is_ascii(),
        Ordering::Less => false,
    }
}

/// Whether an intent has more words that are known to be English than others, or as many and a known
/// one first. One without any word to look up is taken to be if it is ASCII.
fn is_known(intent: &str) -> bool {
    let (mut known, mut unknown) = (0_usize, 0_usize);
    let mut first = None;
    each_word(intent, |word, is_name| {
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        if is_name || has_digit || word.len() < 3 || SHARED.binary_search(&word).is_ok() {
            return;
        }
        let knows = knows(word);
        first.get_or_insert(knows);
        match knows {
            true => known += 1,
            false => unknown += 1,
        }
    });
    match first {
        None => intent.is_ascii(),
        Some(first) => known > unknown || first && known == unknown,
    }
}

/// Whether a word, or what is left of it without its ending, is known.
fn knows(word: &str) -> bool {
    let is_task = |word: &str| TASKS.split(' ').any(|task| task == word);
    let knows = |word: &str| is_task(word) || is_common_word(word);
    knows(word) || knows(stem(word))
}

/// Hands over each word of an intent, in plain letters and lower case, and whether it is written like a
/// name: a capital within a sentence is that of one, or of a German noun. Addresses, paths and names of
/// things are left out: they are in no language.
fn each_word(intent: &str, mut each: impl FnMut(&str, bool)) {
    let mut is_within = false;
    let tokens = intent.split_whitespace().take(TOKENS);
    for token in tokens.map(|token| token.trim_matches(|c: char| !c.is_alphanumeric())) {
        if token.contains(['/', '@', '_', '.', ':', '=']) {
            continue;
        }
        let words = token.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            let is_name = is_within && word.starts_with(char::is_uppercase);
            is_within = true;
            each(&fold(word).to_ascii_lowercase(), is_name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [ENGLISH, SHARED, FOREIGN] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn requests_are_told_from_those_in_other_languages() {
        for english in [
            "Fix the failing test",
            "Deploy to prod",
            "Transcribe podcast",
            "Restart nginx",
            "naïve café",
            "Summarise unread mails",
            "Book a table at La Trattoria del Sole for Friday",
            "Translate \"Wo ist der Bahnhof?\" for me, and tell me how to say it",
            "Email Petra Vogel",
            "src/parser.rs",
        ] {
            assert!(is_english(english), "{english}");
        }
        for foreign in [
            "Räum bitte meinen Posteingang auf",
            "Neue Mitarbeiterin anlegen",
            "Was will der Kunde in der Mail?",
            "Überweise 45 Euro an Tom",
            "Fix bitte den Test in parser.rs",
            "Nettoie ma boîte de réception",
            "Supprimer utilisateurs inactifs",
            "Change mon mot de passe",
            "Limpia mi bandeja de entrada",
            "Actualiza dependencias",
            "Crear factura cliente Ramos",
            "Posprzątaj moją skrzynkę",
            "Usun stare pliki",
            "Napraw test logowania",
            "Metti in ordine i documenti",
            "Verleng de reservering",
            "修复解析器",
            "请修复 parser 模块中失败的测试",
        ] {
            assert!(!is_english(foreign), "{foreign}");
        }
    }
}
