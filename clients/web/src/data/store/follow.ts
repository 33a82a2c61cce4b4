import type { Application } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import type { ViewChange } from "@contract/causeway/inventory/v1/view_service_pb";
import type { Port } from "./port";
import type { ApplicationUpdate } from "./protocol";
import { keyOf, type Names } from "./row";

interface Follower {
  port: Port;
  id: number;
  /** It has not been told the last update. */
  isBehind: boolean;
}

/** One application in full, for the pages that show it. */
export class Follow {
  readonly level = ApplicationView.FULL;
  readonly key: string;
  cursor = "";
  private followers: Follower[] = [];
  private last: ApplicationUpdate | undefined;

  constructor(
    readonly id: string,
    readonly filter: Names,
  ) {
    this.key = keyOf(filter);
  }

  get isFollowed(): boolean {
    return this.followers.length > 0;
  }

  add(port: Port, id: number) {
    this.followers.push({ port, id, isBehind: this.last !== undefined });
    this.post();
  }

  remove(port: Port, id?: number) {
    this.followers = this.followers.filter((each) => each.port !== port || (id !== undefined && each.id !== id));
  }

  /** Takes what the stream told; others whose name only resembles it do not count. */
  apply(changes: readonly ViewChange[]) {
    for (const { change } of changes) {
      if (change.case === "updated" && keyOf(change.value) === this.key) this.set({ kind: "updated", application: change.value });
      if (change.case === "deleted" && keyOf(change.value) === this.key) this.set({ kind: "deleted" });
    }
  }

  /** Takes what was read. */
  read(application: Application | undefined) {
    this.set(application ? { kind: "updated", application } : { kind: "deleted" });
  }

  /** Forgets what another user may not see. */
  clear() {
    this.last = undefined;
    this.cursor = "";
  }

  /** Tells the pages that are looked at. */
  post() {
    for (const follower of this.followers) {
      if (!follower.isBehind || !follower.port.isVisible || !this.last) continue;
      follower.isBehind = false;
      follower.port.send({ kind: "application", id: follower.id, update: this.last });
    }
  }

  private set(update: ApplicationUpdate) {
    this.last = update;
    for (const follower of this.followers) follower.isBehind = true;
    this.post();
  }
}
