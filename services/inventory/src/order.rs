//! Which of two states is the newer one. Owns the promises that no older state replaces a newer one and that nothing deleted
//! comes back; never looks at a clock.

/// Where a state stands in the order of its object.
///
/// The derived order is the rule: the resource version decides; between states of one version the later stream; between
/// states of one stream the later report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The Kubernetes resource version.
    pub resource_version: u64,
    /// The number of the stream that brought it.
    pub epoch: u64,
    /// Its place in that stream.
    pub sequence: u64,
}

/// Whether a stream's resource versions go on from those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Continuity {
    /// They do.
    Continued,
    /// The cluster's store was put back: what comes now replaces what is held, though its versions are lower.
    Restored,
}

impl Position {
    /// The resource version, which no object has, of what stands beside the order: it is newer than nothing, and is never held.
    pub const BESIDE: u64 = 0;

    /// True if a state here is newer than one at `held`.
    pub fn supersedes(&self, held: &Self, continuity: Continuity) -> bool {
        match continuity {
            Continuity::Continued => self > held,
            Continuity::Restored => (self.epoch, self.sequence) > (held.epoch, held.sequence),
        }
    }
}

/// True if a state is from before its cluster's store was put back, which the stream of the epoch `restored` told: what it says of
/// versions counts no more.
#[must_use]
pub fn is_fenced(position: Position, continuity: Continuity, restored: u64) -> bool {
    continuity == Continuity::Continued && position.epoch < restored
}

/// Existence of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectLife {
    /// It is.
    Live,
    /// It was, and never comes back under this uid.
    Gone,
}

/// What is held of an object, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Where the held state stands.
    pub position: Position,
    /// Whether the object is there.
    pub life: ObjectLife,
}

/// What a report does to what is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// Nothing: something newer is held.
    Superseded,
    /// The object takes the reported state; a held object of the same name and another uid is gone by that.
    Live {
        /// Whether there is such an object.
        displaces: Displacement,
    },
    /// The object is gone, which is a change.
    Gone,
    /// The object is gone and was not shown before: only its position is kept, so that nothing older brings it in.
    Buried,
}

/// Live object of the same name that gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Displacement {
    /// There is none.
    Nothing,
    /// It does: one name has one object at a time.
    Namesake,
}

/// Decides what a report does.
///
/// `held` is what is held under the reported uid, `namesake` the position of the live object that has the same cluster,
/// namespace and name under another uid. Resource versions of one cluster are comparable across objects.
pub fn merge(
    reported: Position,
    life: ObjectLife,
    continuity: Continuity,
    held: Option<Head>,
    namesake: Option<Position>,
) -> Merge {
    let beside = reported.resource_version == Position::BESIDE;
    if beside || held.is_some_and(|held| !reported.supersedes(&held.position, continuity)) {
        return Merge::Superseded;
    }
    let shown = held.is_some_and(|held| held.life == ObjectLife::Live);
    match (life, namesake) {
        (ObjectLife::Live, None) => Merge::Live {
            displaces: Displacement::Nothing,
        },
        (ObjectLife::Live, Some(other)) if reported.supersedes(&other, continuity) => Merge::Live {
            displaces: Displacement::Namesake,
        },
        (ObjectLife::Gone, _) | (ObjectLife::Live, Some(_)) if shown => Merge::Gone,
        (ObjectLife::Gone, _) | (ObjectLife::Live, Some(_)) => Merge::Buried,
    }
}

#[cfg(test)]
mod tests;
