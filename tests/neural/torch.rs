//! PyTorch archives: the same model however it lies in them, and nothing executed.

use super::build::{View, archive, floats, members, pickle, sound, state_dict, whole};
use gate::neural::{Activation, Container, Given, Model, Refusal};

fn given() -> Given {
    Given {
        features: None,
        activation: Activation::named("tanh"),
    }
}

fn read(bytes: &[u8]) -> Result<Model, Refusal> {
    Model::read(bytes, &given())
}

/// Inputs on which two models are compared.
const ROWS: [[f64; 2]; 4] = [[0.0, 0.0], [3.0, 1.0], [-7.0, 2.5], [100.0, -3.0]];

fn same(model: &Model) {
    let other = Model::read(&sound(), &Given::default()).expect("sound");
    for row in ROWS {
        assert_eq!(model.h(&row), other.h(&row), "{row:?}");
    }
}

fn changed(path: &'static str, bytes: Vec<u8>) -> Vec<u8> {
    let mut all = members();
    all.retain(|(own, _)| *own != path);
    all.push((path, bytes));
    archive(&all, false)
}

#[test]
fn a_state_dict_is_the_model_that_safetensors_are() {
    for packed in [false, true] {
        let model = read(&archive(&members(), packed)).expect("sound");
        assert_eq!(model.container, Container::Torch);
        assert_eq!(model.features, None);
        same(&model);
    }
}

#[test]
fn a_state_dict_is_found_in_a_checkpoint() {
    let (_, own) = members().remove(0);
    let inner = &own[2..own.len() - 1];
    for key in ["state_dict", "model_state_dict", "model"] {
        let mut operations = b"}(".to_vec();
        operations.extend(b"X\x05\0\0\0epochK\x07X");
        operations.extend((key.len() as u32).to_le_bytes());
        operations.extend(key.as_bytes());
        operations.extend(inner);
        operations.push(b'u');
        same(&read(&changed("m/data.pkl", pickle(&operations))).expect(key));
    }
    // What a module sets on the dictionary of its weights says nothing of them.
    let operations = [inner, b"}b"].concat();
    same(&read(&changed("m/data.pkl", pickle(&operations))).expect("attributes"));
}

/// Which of several state dicts is meant nobody says, and a key that stands twice hides one of its
/// values. A dictionary without tensors under such a key is no state dict.
#[test]
fn a_checkpoint_with_several_state_dicts_is_refused() {
    let (_, own) = members().remove(0);
    let good = own[2..own.len() - 1].to_vec();
    let checkpoint = |entries: &[(&str, &[u8])]| {
        let mut operations = b"}(".to_vec();
        for (key, value) in entries {
            operations.push(b'X');
            operations.extend((key.len() as u32).to_le_bytes());
            operations.extend(key.as_bytes());
            operations.extend(*value);
        }
        operations.push(b'u');
        read(&changed("m/data.pkl", pickle(&operations)))
    };
    let numbers = b"}(X\x01\0\0\0aK\x03u";
    let several = checkpoint(&[("model", &good), ("state_dict", &good)]).expect_err("two");
    assert_eq!(
        several.why,
        "its checkpoint has several state dicts, under `state_dict`, `model`: which one is meant is \
         not known"
    );
    for entries in [
        [("model", &good[..]), ("model", &good[..])],
        [("model", &good[..]), ("model", &numbers[..])],
        [("model", &numbers[..]), ("model", &good[..])],
    ] {
        let twice = checkpoint(&entries).expect_err("twice");
        assert_eq!(twice.why, "its checkpoint has `model` twice");
    }
    same(&checkpoint(&[("state_dict", numbers), ("model", &good)]).expect("one state dict"));
    let none = checkpoint(&[("state_dict", numbers)]).expect_err("none");
    assert!(none.why.contains("holds no state dict"), "{}", none.why);
}

/// Early protocols do not say what they are, and are told what to do about it all the same.
#[test]
fn bare_pickles_of_every_protocol_are_known() {
    for bytes in [
        &b"\x80\x02}q\x00."[..],
        b"(dp0\nS'a'\np1\nI1\ns.",
        b"}q\x00X\x01\x00\x00\x00aK\x01s.",
        b"ccollections\nOrderedDict\np0\n(tRp1\n.",
        b"(lp0\n.\n",
    ] {
        let refusal = read(bytes).expect_err("a pickle");
        assert!(refusal.why.contains("bare pickle"), "{}", refusal.why);
        assert!(refusal.help.is_some());
    }
    for bytes in [&b"c"[..], b"", b"call me.", b"(a"] {
        let refusal = read(bytes).expect_err("nothing");
        assert!(!refusal.why.contains("pickle"), "{}", refusal.why);
    }
}

/// A layer that was saved by itself has no name, which is said.
#[test]
fn a_bare_layer_is_told_what_it_needs() {
    let views = [whole("weight", "4", &[1, 2]), whole("bias", "5", &[1])];
    let refusal = read(&changed("m/data.pkl", pickle(&state_dict(&views)))).expect_err("bare");
    assert!(
        refusal
            .help
            .is_some_and(|help| help.contains("nn.Sequential"))
    );
}

/// Layers that look at one storage, backwards and from its middle.
#[test]
fn strides_and_offsets_are_followed() {
    let shared: Vec<f32> = vec![9.0, 1.0, 0.5, -1.0, 0.25, 2.0, -3.0];
    let view = |name, offset, shape: &[i32], strides: &[i32]| View {
        length: 7,
        offset,
        strides: strides.to_vec(),
        ..whole(name, "s", shape)
    };
    let views = vec![
        view("net.0.weight", 1, &[2, 2], &[1, 2]),
        whole("net.0.bias", "3", &[2]),
        view("net.2.weight", 5, &[1, 2], &[2, 1]),
        whole("net.2.bias", "5", &[1]),
        whole("mean", "0", &[2]),
        whole("std", "1", &[2]),
    ];
    let mut all = members();
    all[0].1 = pickle(&state_dict(&views));
    all.push(("m/data/s", floats(&shared)));
    same(&read(&archive(&all, false)).expect("views"));
}

#[test]
fn other_floats_are_widened_exactly() {
    let half: Vec<u8> = [0x3c00u16, 0x4000]
        .iter()
        .flat_map(|h| h.to_le_bytes())
        .collect();
    let bfloat: Vec<u8> = [0x3f80u16, 0x4000]
        .iter()
        .flat_map(|h| h.to_le_bytes())
        .collect();
    let double: Vec<u8> = [1.0f64, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    for (class, bytes) in [
        ("HalfStorage", half),
        ("BFloat16Storage", bfloat),
        ("DoubleStorage", double),
    ] {
        let mut views = views();
        views[0].class = class;
        let mut all = members();
        all[0].1 = pickle(&state_dict(&views));
        all.retain(|(path, _)| *path != "m/data/0");
        all.push(("m/data/0", bytes));
        same(&read(&archive(&all, false)).expect(class));
    }
}

/// The views of the sound file.
fn views() -> Vec<View> {
    vec![
        whole("mean", "0", &[2]),
        whole("std", "1", &[2]),
        whole("net.0.weight", "2", &[2, 2]),
        whole("net.0.bias", "3", &[2]),
        whole("net.2.weight", "4", &[1, 2]),
        whole("net.2.bias", "5", &[1]),
    ]
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_executed() {
    let view = |change: &dyn Fn(&mut View)| {
        let mut views = views();
        change(&mut views[2]);
        changed("m/data.pkl", pickle(&state_dict(&views)))
    };
    let mut twice = views();
    twice.push(whole("mean", "0", &[2]));
    let mut two = members();
    two.push(("n/data.pkl", pickle(b"}")));
    let mut none = members();
    none.remove(0);
    let mut lost = members();
    lost.retain(|(path, _)| *path != "m/data/4");
    let code = b"cos\nsystem\nX\x02\0\0\0id\x85R";
    let module = b"c__main__\nNet\n)\x81}b";
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (view(&|v| v.offset = 1), "reaches beyond its storage"),
        (view(&|v| v.offset = -1), "a size of -1"),
        (
            view(&|v| v.strides = vec![i32::MAX, i32::MAX]),
            "reaches beyond its storage",
        ),
        (view(&|v| v.strides = vec![1]), "do not fit"),
        (
            view(&|v| v.shape = vec![1 << 20, 1 << 20]),
            "more than 4194304 numbers",
        ),
        (view(&|v| v.length = i32::MAX), "more than 4194304 numbers"),
        (view(&|v| v.length = 5), "cut off"),
        (view(&|v| v.length = 3), "longer than 12 bytes"),
        (
            view(&|v| v.class = "LongStorage"),
            "no floating-point numbers",
        ),
        (
            view(&|v| v.class = "UntypedStorage"),
            "`torch.UntypedStorage`, which is code",
        ),
        (view(&|v| v.key = "../../x"), "no member `m/data/../../x`"),
        (
            changed("m/data.pkl", pickle(&state_dict(&twice))),
            "`mean` twice",
        ),
        (
            changed("m/data.pkl", pickle(code)),
            "wants `os.system`, which is code",
        ),
        (
            changed("m/data.pkl", pickle(module)),
            "wants `__main__.Net`, which is code",
        ),
        (changed("m/data.pkl", pickle(b"}")), "holds no state dict"),
        (changed("m/data.pkl", pickle(b"N")), "holds no state dict"),
        (changed("m/data.pkl", Vec::new()), "pickle is damaged"),
        (
            changed("m/data.pkl", vec![0; 5 << 20]),
            "longer than 4194304 bytes",
        ),
        (changed("m/byteorder", b"big".to_vec()), "not little-endian"),
        (archive(&two, false), "has 2 members `data.pkl`"),
        (archive(&none, false), "has 0 members `data.pkl`"),
        (archive(&lost, false), "no member `m/data/4`"),
        (b"PK\x03\x04".to_vec(), "archive is damaged"),
        (pickle(b"}"), "a bare pickle"),
    ];
    for (bytes, why) in cases {
        let refusal = read(&bytes).expect_err(why);
        assert!(refusal.why.contains(why), "{refusal:?}, not {why}");
    }
}

/// What is code is refused with a way out of it.
#[test]
fn code_is_refused_with_a_hint() {
    let refusal = read(&changed("m/data.pkl", pickle(b"c__main__\nNet\n."))).expect_err("code");
    let help = refusal.help.expect("a hint");
    assert!(
        help.contains("model.state_dict()") && help.contains("safetensors"),
        "{help}"
    );
}

/// A storage that unpacks to more than it is said to hold is not unpacked to its end.
#[test]
fn a_bomb_is_not_unpacked() {
    let mut all = members();
    all.retain(|(path, _)| *path != "m/data/4");
    all.push(("m/data/4", vec![0; 64 << 20]));
    let packed = archive(&all, true);
    assert!(packed.len() < 1 << 20);
    assert!(
        read(&packed)
            .expect_err("a bomb")
            .why
            .contains("longer than 8 bytes")
    );
}

#[test]
fn the_activation_has_to_be_given() {
    let file = archive(&members(), false);
    let refusal = Model::read(&file, &Given::default()).expect_err("not known");
    assert!(refusal.why.contains("activation is not known"));
    assert!(refusal.help.is_some_and(|help| help.contains("tanh")));
}

/// Changes of the pickle inside a sound archive: no checksum tells of them.
#[test]
fn a_changed_pickle_never_panics() {
    let (_, own) = members().remove(0);
    for at in 0..own.len() {
        for change in [1u8, 0x40, 0x80, 0xff] {
            let mut pickle = own.clone();
            pickle[at] ^= change;
            if let Ok(model) = read(&changed("m/data.pkl", pickle)) {
                let _ = model.h(&ROWS[1]);
            }
        }
    }
}

#[test]
fn damage_never_panics() {
    let file = archive(&members(), false);
    for end in 0..file.len() {
        assert!(read(&file[..end]).is_err(), "{end} bytes");
    }
    for at in 0..file.len() {
        for change in [1u8, 0x80, 0xff] {
            let mut changed = file.clone();
            changed[at] ^= change;
            // Checksums of the members tell most of it; what is read has to be computable.
            if let Ok(model) = read(&changed) {
                let _ = model.h(&ROWS[1]);
            }
        }
    }
}

/// Readers differ in which of two members they take.
#[test]
fn two_members_of_a_name_are_refused() {
    let mut bytes = changed("m/data/9", floats(&[0.5]));
    let name = b"m/data/9";
    while let Some(at) = bytes.windows(name.len()).position(|own| own == name) {
        bytes[at + name.len() - 1] = b'5';
    }
    let why = read(&bytes).expect_err("two").why;
    assert!(why.contains("two members of the same name"), "{why}");
}
