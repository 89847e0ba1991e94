//! Definitions from disk, read once and compiled once.
use super::{
    MAX_TEXT, Schema, ServiceSchema, is_type_name, packages::Packages, parse_message, parse_service,
};
use crate::ros::{Code, Error, Layout, Result, ServiceLayout};
use std::{
    collections::HashMap,
    fs::File,
    io::Read as _,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Finds and keeps message and service types. Shared by all threads; reading a type for the first time blocks.
#[derive(Debug)]
pub struct Library {
    packages: Packages,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    messages: HashMap<String, Arc<Layout>>,
    services: HashMap<String, Arc<ServiceLayout>>,
}

impl Library {
    /// Looks into the entries of `ROS_PACKAGE_PATH` as it is now, and where packages are installed.
    pub fn from_environment() -> Self {
        Self { packages: Packages::from_environment(), kept: Mutex::default() }
    }

    /// Looks into `folders` as if they were `ROS_PACKAGE_PATH`, and where packages are installed.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { packages: Packages::new(folders), kept: Mutex::default() }
    }

    /// The message type of that full name.
    pub fn message(&self, kind: &str) -> Result<Arc<Layout>> {
        if let Some(known) = self.kept().messages.get(kind) {
            return Ok(Arc::clone(known));
        }
        let layout = Arc::new(Layout::new(&self.message_schema(kind)?)?);
        self.kept().messages.insert(kind.to_owned(), Arc::clone(&layout));
        Ok(layout)
    }

    /// The service type of that full name.
    pub fn service(&self, kind: &str) -> Result<Arc<ServiceLayout>> {
        if let Some(known) = self.kept().services.get(kind) {
            return Ok(Arc::clone(known));
        }
        let layout = Arc::new(ServiceLayout::new(&self.service_schema(kind)?)?);
        self.kept().services.insert(kind.to_owned(), Arc::clone(&layout));
        Ok(layout)
    }

    /// The definition of a message type and of all it is made of.
    pub fn message_schema(&self, kind: &str) -> Result<Schema> {
        let root = Arc::new(self.definition(kind)?);
        Schema::resolve(&root, &mut |name| self.definition(name).map(Arc::new))
    }

    /// The definition of a service type and of all it is made of.
    pub fn service_schema(&self, kind: &str) -> Result<ServiceSchema> {
        let (path, text) = self.read(kind, "srv")?;
        let (request, response) = parse_service(kind, &text, &path.display().to_string())?;
        let mut find = |name: &str| self.definition(name).map(Arc::new);
        let request = Schema::resolve(&Arc::new(request), &mut find)?;
        let response = Schema::resolve(&Arc::new(response), &mut find)?;
        Ok(ServiceSchema::new(kind.to_owned(), request, response))
    }

    fn definition(&self, kind: &str) -> Result<super::Definition> {
        let (path, text) = self.read(kind, "msg")?;
        parse_message(kind, &text, &path.display().to_string())
    }

    /// The text of a type and where it was found.
    fn read(&self, kind: &str, extension: &str) -> Result<(PathBuf, String)> {
        let what = if extension == "srv" { "service" } else { "message" };
        let Some((package, name)) = kind.split_once('/').filter(|_| is_type_name(kind)) else {
            return Err(Error::new(
                Code::TypeUnknown,
                format!("{kind:?} is no {what} type: write package/Name, as in std_msgs/String"),
            ));
        };
        for folder in self.packages.of(package) {
            let path = folder.join(extension).join(format!("{name}.{extension}"));
            let Ok(file) = File::open(&path) else { continue };
            let fail =
                |what: &str| Error::new(Code::TypeInvalid, format!("{}: {what}", path.display()));
            let mut text = Vec::new();
            file.take(MAX_TEXT as u64 + 1)
                .read_to_end(&mut text)
                .map_err(|error| fail(&error.to_string()))?;
            // A comment in another encoding must not make a type unusable.
            let text = String::from_utf8_lossy(&text).into_owned();
            return Ok((path, text));
        }
        Err(Error::new(
            Code::TypeUnknown,
            format!(
                "no definition of the {what} type {kind} was found: no {package}/{extension}/{name}.{extension} \
                 in or below {}. Install the package or add its workspace to ROS_PACKAGE_PATH",
                self.packages.places()
            ),
        ))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
