//! A few seeds with every build; `make test-sim` runs thousands.
use posthouse_simulation::run;

#[test]
fn every_rule_holds() {
    for seed in 0..20 {
        let result = run(seed, false);
        assert!(result.is_ok(), "seed {seed}: {:?}", result.map_err(|failure| failure.what));
    }
}

#[test]
fn a_seed_is_one_run() {
    let (a, b, c) = (run(1, false).unwrap(), run(1, true).unwrap(), run(2, false).unwrap());
    assert_eq!(a, b, "watching changes nothing");
    assert_ne!(a.hash, c.hash);
    assert!(a.deliveries > 0 && a.connections > 0);
}
