import { type Item, isExpired } from '#lib/items/item-table.ts'

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
  const ids = heads.map(({ bucketId, name }) => `${bucketId}.${name}`)
  const shares = of('BUCKET')
    .filter(({ sk, tablesCount }) => String(sk).startsWith('SHARE#') && tablesCount === 1)
    .map(({ pk, sk }) => `${String(pk).slice('BUCKET#'.length)}.${String(sk).slice('SHARE#'.length)}`)
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
    ...ids.filter(id => !shares.includes(id)).map(id => `the table ${id} has no share in the totals`),
    ...shares.filter(id => !ids.includes(id)).map(id => `${id} has a share in the totals and is no table`),
    ...leads
      .filter(({ internalId }) => !tables.has(Number(internalId)))
      .map(({ pk, sk }) => `${pk} ${sk} leads to no table`),
    ...twice(heads.map(({ bucketId, displayName }) => `table ${bucketId} ${displayName}`)),
    ...twice(of('BUCKETS').map(({ stage, displayName }) => `bucket ${stage} ${displayName}`)),
    ...twice(of('BRANCHES').map(({ name }) => `branch ${name}`)),
  ]
}
