//! Shares tunnel sessions and service announcements between replicas. Entries expire unless they are renewed.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{MissedTickBehavior, interval};

use crate::{
    parts::model::{Health, Part, PartHome},
    parts::service::{PartService, Presence},
    platform::now,
    runtimes::presence::{RuntimeKey, Session},
    store::StoreError,
};

const EVERY: Duration = Duration::from_secs(3);
/// Maximum number of waiting messages; others are sent with the next heartbeat.
const MOST_WAITING: usize = 20_000;
/// Maximum bytes of waiting messages, without the last one.
const MOST_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// How many words of one home or server wait at most, twice what is kept of a home, and how many bytes before the last of them:
/// one runtime's parts leave room for those of all others.
const MOST_OF_ONE: usize = 512;
const MOST_BYTES_OF_ONE: usize = 1024 * 1024;

/// Message of a replica; replaces the former one of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// Of whom.
    pub name: String,
    /// In milliseconds since 1970.
    pub heard_at: i64,
    /// What, as JSON.
    pub body: String,
}

impl Message {
    fn bytes(&self) -> usize {
        self.name.len() + self.body.len()
    }

    /// The beginning of the name that all words of one home have, or the whole name.
    fn of(&self) -> &str {
        let ends = self.name.match_indices(' ').nth(1);
        ends.map_or(&self.name, |(end, _)| &self.name[..=end])
    }
}

/// Content of a message between replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReplicaMessage {
    /// All sessions of a tunnel server.
    Sessions {
        /// The server.
        server: String,
        /// Its sessions.
        sessions: Vec<(RuntimeKey, Session)>,
    },
    /// A part.
    Part {
        /// Where it runs.
        home: PartHome,
        /// What it told of itself.
        part: Part,
        /// Whether it goes on.
        presence: Presence,
    },
}

type SessionBody = (String, String, String, u32, u64, i64, String, String);
type PartBody = (
    Option<(String, String)>,
    String,
    String,
    String,
    String,
    Vec<String>,
    Vec<String>,
    bool,
);
/// The same with the actions that an app-proxy allows. Replicas of an older version ignore such a message.
type PartWithActions = (PartBody, Vec<String>);

const SERVING: &str = "serving";

impl ReplicaMessage {
    /// As the other replicas read it.
    pub(crate) fn to_word(&self, heard_at: i64) -> Message {
        let (name, body) = match self {
            Self::Sessions { server, sessions } => {
                let bodies: Vec<SessionBody> = sessions.iter().map(session_body).collect();
                (format!("sessions {server}"), serde_json::json!(bodies))
            }
            Self::Part {
                home,
                part,
                presence,
            } => {
                let home = home
                    .as_ref()
                    .map(|(account, id)| (account.to_string(), id.to_string()));
                let at = home.as_ref().map_or("", |(_, id)| id);
                let name = format!("part {at} {} {}", part.name, part.instance);
                let leaving = *presence == Presence::Leaving;
                let body = (
                    home,
                    part.name.to_string(),
                    &part.instance,
                    &part.version,
                    health_word(part.health),
                    &part.pending,
                    &part.notices,
                    leaving,
                );
                let body = serde_json::json!(body);
                if part.allowed_actions.is_empty() {
                    (name, body)
                } else {
                    (name, serde_json::json!((body, &part.allowed_actions)))
                }
            }
        };
        let body = body.to_string();
        Message {
            name,
            heard_at,
            body,
        }
    }

    /// What another replica told; nothing if it is in a form that this version does not know.
    pub(crate) fn from_word(word: &Message) -> Option<Self> {
        if let Some(server) = word.name.strip_prefix("sessions ") {
            let bodies: Vec<SessionBody> = serde_json::from_str(&word.body).ok()?;
            let sessions = bodies.into_iter().filter_map(|body| session(server, body));
            return Some(Self::Sessions {
                server: server.to_owned(),
                sessions: sessions.collect(),
            });
        }
        let with_actions = serde_json::from_str::<PartWithActions>(&word.body).ok();
        let (body, allowed_actions) = match with_actions {
            Some(body) => body,
            None => (serde_json::from_str(&word.body).ok()?, Vec::new()),
        };
        let (home, name, instance, version, health, pending, notices, leaving) = body;
        let home = match home {
            Some((account, id)) => Some((account.parse().ok()?, id.parse().ok()?)),
            None => None,
        };
        let part = Part {
            name: name.parse().ok()?,
            instance,
            version,
            health: if health == SERVING {
                Health::Serving
            } else {
                Health::NotServing
            },
            pending,
            notices,
            allowed_actions,
            last_seen_at: word.heard_at,
        };
        let presence = if leaving {
            Presence::Leaving
        } else {
            Presence::Staying
        };
        Some(Self::Part {
            home,
            part,
            presence,
        })
    }
}

fn health_word(health: Health) -> &'static str {
    match health {
        Health::Serving => SERVING,
        Health::NotServing | Health::Lost => "not serving",
    }
}

fn session_body(((account, id), session): &(RuntimeKey, Session)) -> SessionBody {
    (
        account.to_string(),
        id.to_string(),
        session.client.clone(),
        session.slot,
        session.generation,
        session.connected_at,
        session.peer_address.clone(),
        session.version.clone(),
    )
}

fn session(server: &str, body: SessionBody) -> Option<(RuntimeKey, Session)> {
    let (account, id, client, slot, generation, connected_at, peer_address, version) = body;
    let session = Session {
        server: server.to_owned(),
        client,
        slot,
        generation,
        connected_at,
        peer_address,
        version,
    };
    Some(((account.parse().ok()?, id.parse().ok()?), session))
}

/// Words that wait to be told.
#[derive(Debug, Default)]
pub(crate) struct Outbox(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    words: BTreeMap<String, Message>,
    bytes: usize,
}

impl Outbox {
    /// Takes a word in the place of the one of that name that still waits, if there is room for it.
    pub(crate) fn put(&self, word: Message) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(former) = waiting.words.remove(&word.name) {
            waiting.bytes -= former.bytes();
        }
        if waiting.has_room(word.of()) {
            waiting.bytes += word.bytes();
            waiting.words.insert(word.name.clone(), word);
        }
    }

    fn take(&self) -> Vec<Message> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *waiting).words.into_values().collect()
    }
}

impl Queue {
    fn has_room(&self, of: &str) -> bool {
        let behind = self.words.range(of.to_owned()..);
        let same = behind.take_while(|(name, _)| name.starts_with(of));
        let (count, bytes) = same.fold((0, 0), |(count, bytes), (_, word)| {
            (count + 1, bytes + word.bytes())
        });
        self.words.len() < MOST_WAITING
            && self.bytes < MOST_WAITING_BYTES
            && count < MOST_OF_ONE
            && bytes < MOST_BYTES_OF_ONE
    }
}

/// Exchanges messages with the other replicas until it is dropped. Without shared storage it only waits.
pub(crate) async fn exchange(parts: PartService, replica: String) -> std::convert::Infallible {
    if !parts.store.is_shared() {
        return std::future::pending().await;
    }
    let mut interval = interval(EVERY);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        if let Err(error) = exchange_once(&parts, &replica).await {
            // Whoever is meant tells again within seconds; that the database is away is said elsewhere.
            tracing::debug!(error = %format!("{:#}", anyhow::Error::from(error)), "replicas did not exchange what they heard");
        }
    }
}

async fn exchange_once(parts: &PartService, replica: &str) -> Result<(), StoreError> {
    let outgoing = parts.outbox.take();
    let words = parts.store.exchange(replica, outgoing, now()).await?;
    for word in &words {
        if let Some(heard) = ReplicaMessage::from_word(word) {
            parts.take_from_replica(heard, word.heard_at);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
