// Plain JavaScript, loaded before anything else.
/*
 * How much memory a process keeps beside what it holds. Node and the C library read this only where a process begins, so for
 * these commands it begins again, as the same process (40 ms). What the user has set is left as it is.
 */
const heaps = [
  // MiB. V8 takes up to 48 for objects that hardly live. Imports and runs of configurations take as long with less (docs/benchmarks.md).
  '--max-semi-space-size=2',
  // Of each thread's heap. By default V8 lets it grow as the machine's memory allows, and collects late.
  '--heap-growing-percent=20',
]
const freedGoesBack = {
  // glibc: each of some 30 threads would keep what it frees, in a heap of its own.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(256 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024),
  // DuckDB's own allocator keeps what it frees until later work.
  DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:0,muzzy_decay_ms:0',
}
const given = [...process.execArgv, process.env.NODE_OPTIONS ?? '']
const isBounded = given.some(flags => flags.includes('--max-semi-space-size'))
const begins = ['start', 'upload', 'download'].includes(process.argv[2])
if (begins && !isBounded && process.execve && process.platform !== 'win32')
  process.execve(
    process.execPath,
    [process.execPath, ...heaps, ...process.execArgv, ...process.argv.slice(1)],
    { ...freedGoesBack, ...process.env },
  )
