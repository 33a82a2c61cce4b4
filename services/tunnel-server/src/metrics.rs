//! Figures of a tunnel server.

use causeway_shell::Shell;
use opentelemetry::{KeyValue, metrics::Counter};

use crate::{forward::Table, session::RuntimeAddress};

/// Instruments under the meter of the part.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    opened: Counter<u64>,
}

impl Metrics {
    /// Sessions and calls are counted in the table at collection time.
    pub(crate) fn new(shell: &Shell, table: &Table) -> Self {
        let meter = shell.meter();
        let held = table.clone();
        let sessions = meter.u64_observable_gauge("tunnel_server.sessions");
        let sessions = sessions.with_description("Open sessions of tunnel clients");
        let sessions = sessions.with_callback(move |observer| {
            observer.observe(held.lock().all().count() as u64, &[]);
        });
        let held = table.clone();
        let calls = meter.u64_observable_gauge("tunnel_server.calls.open");
        let calls = calls.with_description("Calls and streams that are open in sessions");
        let calls = calls.with_callback(move |observer| {
            let table = held.lock();
            let open = table.all().map(|it| u64::from(it.link.open_calls()));
            observer.observe(open.sum(), &[]);
        });
        // The meter holds them.
        let _ = (sessions.build(), calls.build());
        Self {
            opened: meter
                .u64_counter("tunnel_server.sessions.opened")
                .with_description("Sessions that were opened, by runtime")
                .build(),
        }
    }

    pub(crate) fn opened(&self, address: &RuntimeAddress) {
        let labels = [
            KeyValue::new("account", address.account.to_string()),
            KeyValue::new("runtime_id", address.runtime.to_string()),
        ];
        self.opened.add(1, &labels);
    }
}
