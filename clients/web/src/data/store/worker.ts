/** The worker of all tabs; where there is no SharedWorker, one of each tab. */
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Hub } from "./hub";
import type { ToPage, ToWorker } from "./protocol";

interface Channel {
  postMessage: (message: ToPage) => void;
  onmessage: ((event: MessageEvent<ToWorker | { kind: "lock"; name: string }>) => void) | null;
}

const hub = new Hub(createGrpcWebTransport({ baseUrl: location.origin }));

function connect(channel: Channel) {
  const port = hub.connect((message) => channel.postMessage(message));
  channel.onmessage = ({ data }) => {
    if (data.kind === "lock") watchLock(data.name, () => hub.disconnect(port));
    else hub.receive(port, data);
  };
}

/** A page holds its lock for as long as it lives, so that a page that crashed is noticed, too. */
function watchLock(name: string, onFree: () => void) {
  void navigator.locks.request(name, onFree);
}

// Other tabs may sign out or sign in as somebody else.
new BroadcastChannel("causeway.session").onmessage = ({ data }: MessageEvent<unknown>) => {
  if (data === "signed-out") hub.clear();
  if (data === "signed-in") hub.resume();
};
addEventListener("online", () => hub.wake());

if ("onconnect" in globalThis) {
  (globalThis as { onconnect?: (event: MessageEvent) => void }).onconnect = ({ ports }) => {
    if (ports[0]) connect(ports[0] as Channel);
  };
} else {
  connect(globalThis as unknown as Channel);
}
