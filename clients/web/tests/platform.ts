import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A running `causeway up` on ports and a folder of its own. */
export interface Platform {
  /** Address of its public port, for example `http://localhost:40123`. */
  readonly address: string;
  /** API key of the administrator. */
  readonly key: string;
  stop(): Promise<void>;
}

const BINARY = process.env["CAUSEWAY_BINARY"] ?? resolve("../../target/debug/causeway");
const PORTS = ["--listen", "--tunnel-listen", "--kube-listen", "--git-listen", "--argocd-listen"];
const START_TIMEOUT_MS = 60_000;

/** Starts a platform with one runtime on the sandbox, and waits until it is ready. */
export async function startPlatform(): Promise<Platform> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-web-"));
  const data = join(folder, "data");
  const ports = PORTS.flatMap((flag) => [flag, "127.0.0.1:0"]);
  const child = spawn(BINARY, ["up", "--data", data, "--config", join(folder, "config"), ...ports], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const address = await addressOf(child);
    const key = (await readFile(join(data, "platform", "admin.key"), "utf8")).trim();
    // Browsers treat localhost as a secure origin, as the session cookie requires.
    return { address: address.replace("127.0.0.1", "localhost"), key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for the line that tells the address. */
function addressOf(child: ChildProcess): Promise<string> {
  let text = "";
  return new Promise((found, failed) => {
    const fail = (why: string) => failed(new Error(`${BINARY}: ${why}\n${text}`));
    const late = setTimeout(() => fail("is not ready in time"), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const address = /^\s*address\s+(http:\S+)$/m.exec(text)?.[1];
      if (address === undefined || !text.includes("Ctrl-C stops")) return;
      clearTimeout(late);
      found(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`ended with ${code}`));
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill("SIGTERM");
  return ended;
}
