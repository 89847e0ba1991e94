//! Where packages lie on disk.
//!
//! A package is found by the folder's name or by what its `package.xml` says, in the order: the entries of
//! `ROS_PACKAGE_PATH` (and the packages below them), `/opt/ros/*/share`, `CMAKE_PREFIX_PATH`, `/usr/share`. Debian's
//! message packages have no `package.xml`, so one is not asked for where the folder's name fits.
use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// How deep below an entry of `ROS_PACKAGE_PATH` packages are looked for.
const CRAWL_DEPTH: usize = 8;
/// How many folders are looked into.
const CRAWL_FOLDERS: usize = 50_000;

/// The folders that packages are looked for in.
#[derive(Debug)]
pub(super) struct Packages {
    workspace: Vec<PathBuf>,
    shares: Vec<PathBuf>,
    crawled: OnceLock<HashMap<String, Vec<PathBuf>>>,
}

impl Packages {
    /// `workspace` as `ROS_PACKAGE_PATH`, then the places of installed packages.
    pub(super) fn new(workspace: Vec<PathBuf>) -> Self {
        let mut shares = Vec::new();
        let mut distributions: Vec<_> =
            fs::read_dir("/opt/ros").into_iter().flatten().flatten().map(|it| it.path()).collect();
        distributions.sort();
        shares.extend(distributions.into_iter().map(|path| path.join("share")));
        shares.extend(paths("CMAKE_PREFIX_PATH").into_iter().map(|path| path.join("share")));
        shares.push("/usr/share".into());
        Self { workspace, shares, crawled: OnceLock::new() }
    }

    /// With `ROS_PACKAGE_PATH` of the environment.
    pub(super) fn from_environment() -> Self {
        Self::new(paths("ROS_PACKAGE_PATH"))
    }

    /// The folders that may be the package, best first. `package` must be a plain word.
    pub(super) fn of(&self, package: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for root in &self.workspace {
            if root.file_name().is_some_and(|name| name == package) {
                found.push(root.clone());
            }
            found.push(root.join(package));
        }
        let crawled = self.crawled.get_or_init(|| {
            let mut index = HashMap::new();
            let mut left = CRAWL_FOLDERS;
            for root in &self.workspace {
                crawl(root, CRAWL_DEPTH, &mut left, &mut index);
            }
            index
        });
        found.extend(crawled.get(package).into_iter().flatten().cloned());
        found.extend(self.shares.iter().map(|share| share.join(package)));
        found
    }

    /// For a message to a person.
    pub(super) fn places(&self) -> String {
        let all = self.workspace.iter().chain(&self.shares);
        all.map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

fn paths(variable: &str) -> Vec<PathBuf> {
    let value = env::var_os(variable).unwrap_or_default();
    env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect()
}

fn crawl(folder: &Path, depth: usize, left: &mut usize, index: &mut HashMap<String, Vec<PathBuf>>) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    if folder.join("CATKIN_IGNORE").exists() {
        return;
    }
    if let Ok(text) = fs::read_to_string(folder.join("package.xml")) {
        if let Some(name) = package_name(&text) {
            index.entry(name.to_owned()).or_default().push(folder.to_owned());
        }
        // Packages do not contain packages.
        return;
    }
    if depth == 0 || folder.join("rospack_nosubdirs").exists() {
        return;
    }
    let mut below: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    below.sort();
    for path in below {
        crawl(&path, depth - 1, left, index);
    }
}

/// What stands in the first `<name>` of a `package.xml`.
fn package_name(text: &str) -> Option<&str> {
    let rest = &text[text.find("<name>")? + 6..];
    Some(rest[..rest.find("</name>")?].trim())
}
