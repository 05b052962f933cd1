//! A profile in use: its contents no longer change, and its version is at hand.

use std::ops::Deref;

use super::Profile;

/// A profile together with its version, which is computed once. It cannot be changed, so that the two belong together.
#[derive(Debug, Clone)]
pub struct VersionedProfile {
    profile: Profile,
    version: Box<str>,
}

impl VersionedProfile {
    /// Returns what [`Profile::version`] says of the contents.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl From<Profile> for VersionedProfile {
    fn from(profile: Profile) -> Self {
        Self {
            version: profile.version().into(),
            profile,
        }
    }
}

impl Deref for VersionedProfile {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        &self.profile
    }
}
