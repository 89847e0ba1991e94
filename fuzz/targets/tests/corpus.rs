//! Every target over its kept corpus and over seeded changes of it, so that a plain `cargo test` needs no
//! fuzzer. `POSTHOUSE_FUZZ_SEED` and `POSTHOUSE_FUZZ_ROUNDS` repeat or prolong a run.
use posthouse_core::rng::Rng;
use posthouse_fuzz_targets::{TARGETS, Target, mutate::mutated};
use std::{
    env, fs,
    panic::{self, AssertUnwindSafe},
    path::Path,
};

fn number(variable: &str, default: u64) -> u64 {
    let given = env::var(variable).ok();
    given.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number")))
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(target);
    let listed = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = listed.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn play(target: &str) {
    let (name, run): Target = *TARGETS.iter().find(|(name, _)| *name == target).unwrap();
    let entries = corpus(name);
    let checked = |data: &[u8], what: &str| {
        if let Err(cause) = panic::catch_unwind(AssertUnwindSafe(|| run(data))) {
            eprintln!("{name}, {what}: {}", data.escape_ascii());
            panic::resume_unwind(cause);
        }
    };
    for entry in &entries {
        checked(entry, "kept");
    }
    let seed = number("POSTHOUSE_FUZZ_SEED", 1);
    let mut rng = Rng::new(seed);
    for round in 0..number("POSTHOUSE_FUZZ_ROUNDS", 1_500) {
        checked(&mutated(&mut rng, &entries), &format!("seed {seed}, round {round}"));
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { play(stringify!($name)); })*

        #[test]
        fn every_target_is_here() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

targets!(frames headers json json_writer names queue records reports ros_definition ros_message ros_wire session router);
