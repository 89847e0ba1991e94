//! What memory the process uses, and whether that has stopped growing.
use super::Failure;
use std::fmt;

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
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        Self {
            held: (books.uordblks + books.hblkhd) as u64 / 1024,
            resident: resident.unwrap_or(0),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kB held, {} kB resident", self.held, self.resident)
    }
}

/// Fails if memory grows. Resident memory moves with what else the machine does, because then more
/// messages wait at times; so medians are compared, of the second and of the last third.
pub fn flat(minutes: &[Memory], warm: usize, growth: f64) -> Result<(), Failure> {
    let third = minutes.len() / 3;
    if third <= warm {
        println!("too short to tell of memory");
        return Ok(());
    }
    let (second, last) = (&minutes[third..2 * third], &minutes[minutes.len() - third..]);
    for (what, get) in [("held", (|m| m.held) as fn(&Memory) -> u64), ("resident", |m| m.resident)]
    {
        let (before, after) = (median(second.iter().map(get)), median(last.iter().map(get)));
        println!(
            "memory {what}: {before} kB in the second third, {after} kB in the last (medians)"
        );
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
