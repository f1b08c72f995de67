/** Operations of the duels, and their writes in order: what stands in one line is one transaction. */
export const decisions: Readonly<Record<string, readonly string[]>> = {
  'a full load and one that adds / 0': [
    'put JOBS, put OPEN_JOBS, put QUEUE',
    'put JOBS, put QUEUE LEASE',
    'delete OPEN_JOBS, delete QUEUE, delete QUEUE LEASE, put BUCKET TABLE, put EVENTS, put EVENTS/table, put EVENTS/token, put JOBS, update TOTALS',
  ],
  'a load that takes another along, and a full load behind them / 0': [
    'put JOBS, put QUEUE LEASE',
    'update QUEUE LEASE',
    'put BUCKET TABLE, put JOBS, update TOTALS',
    'delete OPEN_JOBS, delete QUEUE, put EVENTS, put EVENTS/table, put EVENTS/token, put JOBS',
    'delete OPEN_JOBS, delete QUEUE, delete QUEUE LEASE, put EVENTS, put EVENTS/table, put EVENTS/token, put JOBS',
  ],
  'a load and a new name / 1': [
    'delete BUCKET NAMED, put BUCKET NAMED, put BUCKET TABLE, put EVENTS, put EVENTS/table, put EVENTS/token',
  ],
  'an alias and a forced drop of its source / 0': [
    'put ALIASES, put BUCKET NAMED, put BUCKET TABLE, put EVENTS, put EVENTS/table, put EVENTS/token, update BUCKET TABLE, update BUCKETS, update TOTALS',
  ],
  'an alias and a forced drop of its source / 1': [
    'put JOBS, put OPEN_JOBS, put QUEUE',
    'put JOBS, put QUEUE LEASE',
    'delete BUCKET NAMED, delete BUCKET TABLE, delete OPEN_JOBS, delete QUEUE, delete QUEUE LEASE, put EVENTS, put EVENTS/table, put EVENTS/token, put JOBS, update TOTALS',
  ],
  'two creations of one table / 0': [
    'put JOBS, put OPEN_JOBS, put QUEUE',
    'put JOBS, put QUEUE LEASE',
    'delete OPEN_JOBS, delete QUEUE, delete QUEUE LEASE, put BUCKET NAMED, put BUCKET TABLE, put EVENTS, put EVENTS/table, put EVENTS/token, put JOBS, update BUCKETS, update TOTALS',
  ],
  'a creation and the deletion of its bucket / 1': [
    'put JOBS, put OPEN_JOBS',
    'put JOBS',
    'delete BUCKETS, delete BUCKETS, delete OPEN_JOBS, put EVENTS, put EVENTS/bucket, put EVENTS/token, put JOBS',
  ],
  'a swap and a load / 0': [
    'put JOBS, put OPEN_JOBS, put QUEUE, put QUEUE',
    'put JOBS, put QUEUE LEASE, put QUEUE LEASE',
    'delete OPEN_JOBS, delete QUEUE, delete QUEUE, delete QUEUE LEASE, delete QUEUE LEASE, put BUCKET TABLE, put BUCKET TABLE, put EVENTS, put EVENTS, put EVENTS/table, put EVENTS/table, put EVENTS/token, put EVENTS/token, put JOBS, update TOTALS',
  ],
  'two buckets of one name / 0': [
    'put BUCKETS, put BUCKETS, put EVENTS, put EVENTS/bucket, put EVENTS/token',
  ],
  'two changes of a bucket / 1': [
    'delete BUCKETS, put BUCKETS, put BUCKETS, put EVENTS, put EVENTS/bucket, put EVENTS/token',
  ],
  'two changes of a token / 1': ['check BUCKETS, put EVENTS, put EVENTS/token, put EVENTS/token, put TOKENS'],
  'a change of a token, and its end / 1': ['delete TOKENS, put EVENTS, put EVENTS/token, put EVENTS/token'],
  'two changes of a configuration / 0': ['put CONFIG, put CONFIGS, put EVENTS, put EVENTS/token'],
  'two rows of a configuration with one id / 0': [
    'put CONFIG, put CONFIG, put CONFIGS, put EVENTS, put EVENTS/token',
  ],
  'an export, and the clock that closes it / 0': [
    'put JOBS',
    'delete OPEN_JOBS, put EVENTS, put EVENTS/table, put EVENTS/token, put EXPORTS, put FILES, put FILES, put JOBS',
  ],
  'two tags of a file / 0': ['put EVENTS, put EVENTS/token, put FILES, put FILES'],
  'a tag of a file, and its end / 1': ['delete FILES, put EVENTS, put EVENTS/token'],
  'two keys of metadata with one name / 0': [
    'put METADATA',
    'put EVENTS, put EVENTS/table, put EVENTS/token',
  ],
  'a load, and somebody who cancels it / 1': [
    'put EVENTS, put EVENTS/token, update JOBS',
    'check QUEUE LEASE, delete OPEN_JOBS, delete QUEUE, put EVENTS, put EVENTS/table, put EVENTS/token, put JOBS',
  ],
}
