/** Of the heads of tables, in the default branch and in others. */
const tables = ['BUCKET#*', 'BRANCH#*'] as const

/** Of jobs, their places in queues, and of those that are open. */
const jobs = ['JOBS#*', 'QUEUE#*', 'OPEN_JOBS#*'] as const

/** Of the lists of runs, by which whoever accepts one finds it. */
const runs = ['RUNS', 'RUNS/*'] as const

/**
 * The items that each function may write, by their partition keys (`*`: any text). Whoever can make one of these functions write what it likes
 * makes no token of it, and no session. The API itself writes all kinds.
 */
export const writtenKinds = {
  'run-job': [
    ...tables,
    'TOTALS',
    ...jobs,
    ...[
      'EVENTS*',
      'BUCKETS',
      'ALIASES#*',
      'EXPORTS#*',
      'FILES#*',
      'SNAPSHOTS#*',
      'METADATA#*',
      'SWEEPS#UNNAMED',
    ],
    ...['BRANCHES', 'CONFIG#*', 'CONFIGS#*', 'SCHEDULES', 'WORKSPACES', 'CLEAN_UPS'],
  ],
  'sweep-storage': [...tables, 'FILES#*', 'SWEEPS*'],
  tick: [
    ...jobs,
    ...runs,
    ...['FAILURES', 'EVENTS*', 'TRIGGERS', 'SCHEDULES'],
    ...['CLEAN_UPS', 'CONFIG#*', 'METADATA#*'],
  ],
} as const satisfies Record<string, readonly string[]>
