import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A running `causeway up` on ports and a folder of its own. */
export interface Platform {
  /** Address of its public port, for example `http://localhost:40123`. */
  readonly address: string;
  /** Address of the host of its demo repository. */
  readonly git: string;
  /** API key of the administrator. */
  readonly key: string;
  /** Ends it without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again with the same address and data. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

const BINARY = process.env["CAUSEWAY_BINARY"] ?? resolve("../../target/debug/causeway");
const OTHER_PORTS = ["--tunnel-listen", "--kube-listen", "--git-listen", "--argocd-listen"];
// Below the ports that the system gives to outgoing connections, which could take one before the platform does.
const LOWEST_PORT = 20_000;
const PORTS = 10_000;
const START_TIMEOUT_MS = 60_000;

/** Starts a platform with one runtime on the sandbox, and waits until it is ready. */
export async function startPlatform(): Promise<Platform> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-web-"));
  const [listen, ...others] = await Promise.all(["", ...OTHER_PORTS].map(freeAddress));
  let child = run(folder, listen!, others);
  const stop = async () => {
    await end(child, "SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const address = await addressOf(child);
    const key = (await readFile(join(folder, "data", "platform", "admin.key"), "utf8")).trim();
    const git = `http://${others[OTHER_PORTS.indexOf("--git-listen")]}`;
    const kill = () => end(child, "SIGKILL");
    const startAgain = async () => {
      child = run(folder, listen!, others);
      await addressOf(child);
    };
    // Browsers treat localhost as a secure origin, as the session cookie requires.
    return { address: address.replace("127.0.0.1", "localhost"), key, git, kill, startAgain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Finds an address that nothing listens on. */
async function freeAddress(): Promise<string> {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once("error", () => done(false));
      server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
    });
    if (isFree) return `127.0.0.1:${port}`;
  }
}

function run(folder: string, listen: string, addresses: string[]): ChildProcess {
  const others = OTHER_PORTS.flatMap((flag, at) => [flag, addresses[at]!]);
  const files = ["--data", join(folder, "data"), "--config", join(folder, "config")];
  return spawn(BINARY, ["up", ...files, "--listen", listen, ...others], { stdio: ["ignore", "pipe", "pipe"] });
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

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill(signal);
  return ended;
}
