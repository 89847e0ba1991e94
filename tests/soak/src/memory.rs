//! What memory the process uses, and whether that has stopped growing.
use super::Failure;
use std::fmt;

/// To be called before there is a second thread. With an arena for each, what a thread has freed at
/// the end of its own stays resident, up to 64 MiB: the allocator gives that back of its first arena
/// only, even when asked to. Resident memory would then tell of the longest queue there ever was; in
/// one arena it tells of what is held, and of pages that are held by a part of theirs.
pub fn one_arena() -> Result<(), Failure> {
    // SAFETY: it only sets a number of the allocator's, while nobody else can be using that.
    match unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) } {
        1 => Ok(()),
        _ => Err("the allocator does not take a limit for its arenas".into()),
    }
}

/// Kilobytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Given out by the allocator and not given back: what the program holds.
    held: u64,
    /// With what the allocator keeps between the pieces that are held.
    resident: u64,
}

impl Memory {
    /// What the allocator merely keeps of a moment in which many messages waited is given back first.
    pub fn now() -> Self {
        // SAFETY: it only asks the allocator to give memory back to the system.
        unsafe { libc::malloc_trim(0) };
        // SAFETY: it only reads the allocator's books.
        let books = unsafe { libc::mallinfo2() };
        Self { held: (books.uordblks + books.hblkhd) as u64 / 1024, resident: status("VmRSS:") }
    }
}

/// What the system says of this process, in kilobytes.
fn status(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kB held, {} kB resident", self.held, self.resident)
    }
}

/// Fails if memory grows, or if it is not known. Resident memory moves with what else the machine does, because then more
/// messages wait at times; so medians are compared, of the second and of the last third.
pub fn flat(looks: &[Memory], warm: usize, growth: f64) -> Result<(), Failure> {
    println!("at most {} kB resident at once", status("VmHWM:"));
    let third = looks.len() / 3;
    if third <= warm {
        println!("too short to tell of memory");
        return Ok(());
    }
    let (second, last) = (&looks[third..2 * third], &looks[looks.len() - third..]);
    for (what, get) in [("held", (|m| m.held) as fn(&Memory) -> u64), ("resident", |m| m.resident)]
    {
        let (before, after) = (median(second.iter().map(get)), median(last.iter().map(get)));
        println!(
            "memory {what}: {before} kB in the second third, {after} kB in the last (medians)"
        );
        if after == 0 {
            return Err(format!("the system does not tell of memory {what}").into());
        }
        if after as f64 > before as f64 * (1.0 + growth) {
            return Err(format!("memory {what} grew from {before} kB to {after} kB").into());
        }
    }
    Ok(())
}

fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(get: impl Fn(u64) -> (u64, u64)) -> Vec<Memory> {
        let memory = |(held, resident)| Memory { held, resident };
        (0..30).map(get).map(memory).collect()
    }

    #[test]
    fn what_moves_and_does_not_grow_is_flat() {
        let noise = looks(|m| (4000 + m * 7919 % 900, 9000 + m * 104_729 % 900));
        assert!(flat(&noise, 3, 0.1).is_ok());
    }

    #[test]
    fn what_grows_is_not() {
        assert!(flat(&looks(|m| (4000 + 100 * m, 9000)), 3, 0.1).is_err());
        assert!(flat(&looks(|m| (4000, 9000 + 200 * m)), 3, 0.1).is_err());
    }

    #[test]
    fn what_is_not_known_is_not() {
        assert!(flat(&looks(|_| (4000, 0)), 3, 0.1).is_err());
    }

    #[test]
    fn memory_that_is_held_is_told() {
        let before = Memory::now();
        let kept = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = Memory::now();
        assert!(after.held >= before.held + (60 << 10), "{before}, {after}");
        assert!(after.resident >= before.resident + (60 << 10), "{before}, {after}");
        drop(kept);
    }
}
