//! Finding the file that was named.
//!
//! roslaunch starts nodes in a folder of its own, so a relative path would mean nothing there. The variable
//! `PWD` still tells where the person stood who called roslaunch.
use std::path::{Path, PathBuf};

/// The file that `path` names: as it stands, or from where the caller stood.
///
/// # Errors
/// Everywhere it was sought.
pub fn locate(path: &Path) -> Result<PathBuf, String> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut places = vec![here.join(path)];
    if let Some(stood) = std::env::var_os("PWD") {
        places.push(Path::new(&stood).join(path));
    }
    places.dedup();
    if let Some(found) = places.iter().find(|place| place.is_file()) {
        return Ok(found.clone());
    }
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    Err(format!(
        "there is no file {}; give the path of the configuration from the root",
        places.join(" nor ")
    ))
}
