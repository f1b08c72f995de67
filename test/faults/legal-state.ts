import { type Item, isExpired } from '#lib/items/item-table.ts'

const NOTHING = '0 tables, 0 rows, 0 bytes'

/** By bucket, what heads of tables or parts of totals come to. An alias has no rows. */
const countedIn = (items: readonly Item[], bucketOf: (item: Item) => string): Map<string, string> => {
  const sum = (found: readonly Item[], count: (item: Item) => unknown) =>
    found.reduce((total, item) => total + Number(count(item) ?? 0), 0)
  return new Map(
    [...Map.groupBy(items, bucketOf)].map(([id, found]) => {
      const snapshotOf = (item: Item) => item['snapshot'] ?? item
      const tables = sum(found, item => item['tablesCount'] ?? 1)
      const rows = sum(found, item => Object(snapshotOf(item)).rowsCount)
      const bytes = sum(found, item => Object(snapshotOf(item)).dataSizeBytes)
      return [id, `${tables} tables, ${rows} rows, ${bytes} bytes`]
    }),
  )
}

/** What each reader may rely on, whatever was decided last. No sentence: the items are legal. */
export const illegalIn = (items: readonly Item[], now: Date): string[] => {
  const alive = items.filter(item => !isExpired(item, now))
  const of = (kind: string) => alive.filter(({ pk }) => String(pk).split('#')[0] === kind)
  const jobs = new Map(of('JOBS').flatMap(job => (job['id'] === undefined ? [] : [[Number(job['id']), job]])))
  const statusOf = (id: unknown) => String(jobs.get(Number(id))?.['status'])
  const isOpen = (id: unknown) => ['waiting', 'processing'].includes(statusOf(id))
  const queues = of('QUEUE')
  const leases = queues.filter(({ sk }) => sk === 'LEASE')
  const places = queues.filter(({ sk }) => sk !== 'LEASE')
  const entries = of('OPEN_JOBS')
  const heads = of('BUCKET').filter(({ sk }) => String(sk).startsWith('TABLE#'))
  const tables = new Map(heads.map(head => [Number(head['internalId']), head]))
  const totals = countedIn(heads, head => String(head['bucketId']))
  const kept = countedIn(of('TOTALS'), item => String(item['sk']).split('#')[0] ?? '')
  const leads = of('BUCKET').filter(({ sk }) => /^(NAMED|CALLED)#/.test(String(sk)))
  const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index)

  return [
    ...places
      .filter(({ jobId }) => !isOpen(jobId))
      .map(({ pk, jobId }) => `${pk} has a place of the job ${jobId}, which is ${statusOf(jobId)}`),
    ...leases
      .filter(({ owner }) => statusOf(owner) !== 'processing')
      .map(({ pk, owner }) => `${pk} is held by the job ${owner}, which is ${statusOf(owner)}`),
    ...entries
      .filter(({ id }) => !isOpen(id))
      .map(({ id }) => `the job ${id} has an entry and is ${statusOf(id)}`),
    ...[...jobs.keys()]
      .filter(id => isOpen(id) && !entries.some(entry => entry['id'] === id))
      .map(id => `the job ${id} is ${statusOf(id)} without an entry`),
    ...[...jobs.values()]
      .filter(({ id, status, queueTableId }) => {
        const hasLease = leases.some(({ owner }) => owner === id)
        return queueTableId !== null && status === 'processing' && !hasLease
      })
      .map(({ id }) => `the job ${id} is processing without the lease of its table`),
    ...heads
      .filter(({ kind }) => kind === 'alias')
      .filter(({ sourceInternalId }) => !tables.has(Number(sourceInternalId)))
      .map(({ pk, sk }) => `${pk} ${sk} is an alias of nothing`),
    ...heads
      .filter(({ bucketId }) => !of('BUCKETS').some(({ id }) => id === bucketId))
      .map(({ pk, sk }) => `${pk} ${sk} is in no bucket`),
    ...[...new Set([...totals.keys(), ...kept.keys()])]
      .filter(id => (totals.get(id) ?? NOTHING) !== (kept.get(id) ?? NOTHING))
      .map(id => `${id} holds ${totals.get(id)}, and its totals say ${kept.get(id)}`),
    ...leads
      .filter(({ internalId }) => !tables.has(Number(internalId)))
      .map(({ pk, sk }) => `${pk} ${sk} leads to no table`),
    ...twice(heads.map(({ bucketId, displayName }) => `table ${bucketId} ${displayName}`)),
    ...twice(of('BUCKETS').map(({ stage, displayName }) => `bucket ${stage} ${displayName}`)),
    ...twice(of('BRANCHES').map(({ name }) => `branch ${name}`)),
  ]
}
