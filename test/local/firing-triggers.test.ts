import { expect, it } from 'vitest'
import { callerOf, itemsOf } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { createScheduleStore } from '../../functions/lib/storage/schedules/schedule-store.ts'
import { createTriggerStore } from '../../functions/lib/storage/triggers/trigger-store.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { hasEnded, poll } from '../support/poll.ts'

/** The server that the triggered configuration reads. */

const dataDir = folderUntilEnd()
const shop = await untilEnd(startApi(() => [{ id: 1 }]))

const inCloud = async <Result>(work: (cloud: EmbeddedCloud) => Promise<Result>): Promise<Result> => {
  const cloud = await startCloud({ dataDir })
  try {
    return await work(cloud)
  } finally {
    await cloud.close()
  }
}

/** A cool-down of a minute, which nobody waits for here: the trigger was made long ago. */
const makeOlder = async (cloud: EmbeddedCloud, triggerId: number, scheduleId: number): Promise<void> => {
  const items = itemsOf(cloud)
  const lastRun = '2026-01-01T00:00:00.000Z'
  await createTriggerStore(items).update(triggerId, trigger => ({ ...trigger, lastRun }))
  await createScheduleStore(items).update(scheduleId, schedule => ({ ...schedule, since: lastRun }))
}

it('an import that ended just before the machine stopped fires its trigger after the next start', async () => {
  const { triggerId, tokenId } = await inCloud(async cloud => {
    const call = callerOf(() => cloud)
    await call('POST', 'components/ex-generic-v2/configs', {
      configurationId: 'shop',
      name: 'shop',
      configuration: {
        parameters: {
          api: { baseUrl: `${shop.origin}/` },
          config: { outputBucket: 'shop' },
        },
      },
    })
    await call('POST', 'components/ex-generic-v2/configs/shop/rows', {
      configuration: { parameters: { config: { jobs: [{ endpoint: 'items' }] } } },
    })
    // One that is due, and whose configuration is gone: the next look drops it.
    const scheduler = 'components/keboola.scheduler/configs'
    await call('POST', scheduler, {
      configurationId: 'gone',
      name: 'gone',
      configuration: {
        schedule: { cronTab: '* * * * *' },
        target: { componentId: 'ex-generic-v2', configurationId: 'shop' },
      },
    })
    const { id: scheduleId } = await call('POST', '../../scheduler/schedules', { configurationId: 'gone' })
    await call('DELETE', `${scheduler}/gone`)
    const form = new FormData()
    form.set('name', 'orders')
    form.set('data', new Blob(['id\n1\n']), 'orders.csv')
    await call('POST', 'buckets', { name: 'main' })
    const table = await call('POST', 'buckets/in.c-main/tables', form)
    const token = await call('POST', 'tokens', { description: 'of the trigger', canManageBuckets: true })
    const trigger = await call('POST', 'triggers', {
      runWithTokenId: Number(token.id),
      component: 'ex-generic-v2',
      configurationId: 'shop',
      coolDownPeriodMinutes: 1,
      tableIds: [table.id],
    })
    await call('POST', `tables/${table.id}/import`, form)
    await makeOlder(cloud, Number(trigger.id), Number(scheduleId))
    return { triggerId: Number(trigger.id), tokenId: token.id }
  })
  await inCloud(async cloud => {
    const call = callerOf(() => cloud)
    const [{ id }] = await poll(
      () => call('GET', 'jobs?operationName=configurationRun'),
      jobs => jobs.length > 0,
    )
    const job = await poll(() => call('GET', `jobs/${id}`), hasEnded)
    expect(job).toMatchObject({
      status: 'success',
      operationParams: { triggerId, configId: 'shop' },
      creatorToken: { id: tokenId, description: 'of the trigger' },
    })
    expect((await call('GET', 'tables/in.c-shop.items')).rowsCount).toBe(1)
    await poll(
      () => call('GET', '../../scheduler/schedules'),
      schedules => schedules.length === 0,
    )
    const { lastRun } = await call('GET', `triggers/${triggerId}`)
    expect(Date.parse(lastRun)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'))
  })
})
