import { Worker } from "node:worker_threads";

/** Limits of this process, which ends itself when it exceeds them. */
export interface Watch {
  /** @param memory resident bytes. @param ms processor time from now, in milliseconds. */
  limit(limits: { ms: number; memory: number }): void;
  /** Ends the limits. */
  release(): void;
}

/**
 * Watches this process from a thread, since its own thread may be blocked. Watches resident memory, since V8's heap limit
 * excludes buffers, and processor time, since a busy or sleeping machine is not the job's fault. Ends the process with
 * SIGTERM if time is up, and with SIGKILL for memory or if the parent is gone.
 * @param every milliseconds between two looks.
 */
export function watchSelf(every: number): Watch {
  /** The memory limit in MB, which is 0 while there are no limits, and the `cpuTime` by which the process must end. */
  const limits = new Int32Array(new SharedArrayBuffer(8));
  const source = `
    const { limits, parent, every } = require("node:worker_threads").workerData;
    const isAlone = () => { try { return !process.kill(parent, 0); } catch (error) { return error.code === "ESRCH"; } };
    const cpuTime = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e3; };
    for (;;) {
      Atomics.wait(limits, 0, 0);
      for (let most; (most = Atomics.load(limits, 0)) > 0; Atomics.wait(limits, 0, most, every)) {
        if (process.memoryUsage.rss() > most * 1e6 || isAlone()) process.kill(process.pid, "SIGKILL");
        if (cpuTime() > Atomics.load(limits, 1)) process.kill(process.pid, "SIGTERM");
      }
    }`;
  new Worker(source, { eval: true, workerData: { limits, parent: process.ppid, every } }).unref();
  const setMemory = (megabytes: number) => {
    Atomics.store(limits, 0, megabytes);
    Atomics.notify(limits, 0);
  };
  return {
    limit({ ms, memory }) {
      // Set before the memory limit, which starts the watch: a job must never be held to the time limit of another.
      Atomics.store(limits, 1, cpuTime() + ms);
      setMemory(Math.ceil(memory / 1_000_000));
    },
    release: () => setMemory(0),
  };
}

/** The processor time of this process, in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return Math.ceil((user + system) / 1_000);
}
