import { expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()

const run = Date.now().toString(36)
const taken: [string, string][] = [
  ['wr-db', 'writer'],
  ['keboola.ex-db-mysql', 'extractor'],
  ['keboola.snowflake-transformation', 'transformation'],
  ['transformation', 'transformation'],
  ['keboola.variables', 'other'],
  ['keboola.orchestrator', 'other'],
  ['orchestrator', 'other'],
  ['keboola.scheduler', 'other'],
  ['keboola.shared-code', 'other'],
  ['keboola.sandboxes', 'application'],
]

it('stores configurations of the components that clients take for granted, lists them, and copies them to branches', async () => {
  const configurationId = `granted-${run}`
  for (const [component, type] of taken) {
    const made = await target.call('POST', `components/${component}/configs`, {
      configurationId,
      name: component,
      configuration: { parameters: { of: component } },
    })
    expect([component, made.status]).toEqual([component, 201])
    expect((await target.call('GET', `components/${component}`)).body).toMatchObject({ id: component, type })
  }
  const { results: branch } = await target.job('POST', 'dev-branches', { name: configurationId })
  for (const prefix of ['', `branch/${branch.id}/`]) {
    const { body } = await target.call('GET', `${prefix}components?include=configuration`)
    for (const [component] of taken) {
      const listed = body.find(({ id }: { id: string }) => id === component)
      expect(listed.configurations).toContainEqual(
        expect.objectContaining({ id: configurationId, configuration: { parameters: { of: component } } }),
      )
    }
  }
  const { body: writers } = await target.call('GET', 'components?componentType=writer')
  expect(new Set(writers.map(({ type }: { type: string }) => type))).toEqual(new Set(['writer']))

  await target.job('DELETE', `dev-branches/${branch.id}`)
  for (const [component] of [...taken, ...taken])
    await target.call('DELETE', `components/${component}/configs/${configurationId}`)
})

it('says that a component without an entry is not there', async () => {
  const { status, body } = await target.call('POST', 'components/acme.nothing/configs', { name: 'a' })
  expect([status, body.code, body.error]).toEqual([404, 'notFound', 'Component acme.nothing not found'])
})
