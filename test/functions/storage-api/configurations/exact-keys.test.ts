import fc from 'fast-check'
import { expect, it } from 'vitest'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

/** One of them was read as another in the same process: JSON.parse of Node 24 (functions/lib/json/escaped-keys.ts). */
const keys = ['\\', '"', '\n', '"a', '\\a', '\\"']

it('a configuration, its rows and its state come back with the keys that were sent, whatever others have sent', async () => {
  for (const key of [...keys, ...keys]) {
    const content = { parameters: { a: 0, [key]: 1, nested: [{ b: 0, [key]: 2 }] } }
    const id = await routes.create({ configuration: content, state: content })
    await routes.send('POST', `${id}/rows`, {
      rowId: 'r',
      configuration: JSON.stringify(content),
      state: content,
    })
    const { text } = await routes.send('GET', id)
    expect(text.split(JSON.stringify(content))).toHaveLength(5)
  }
})

/** JSON as text: numbers that a double changes, keys of digits in any order, empty lists beside empty objects. */
const { object } = fc.letrec<{ json: string; object: string }>(tie => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'null',
      'true',
      '""',
      '{}',
      '[]',
      '7615917337495251231',
      '1.10',
      '1.0',
      '-0',
      '1e5',
      '12',
    ),
    fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,2})?$/),
    fc.string({ unit: 'binary', maxLength: 3 }).map(text => JSON.stringify(text)),
    fc.array(tie('json'), { maxLength: 3 }).map(items => `[${items.join()}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(
      fc.tuple(
        fc.oneof(fc.constantFrom('10', '2', '0', 'a', '__proto__', 'é'), fc.string({ maxLength: 3 })),
        tie('json'),
      ),
      { maxLength: 4, selector: ([key]) => key },
    )
    .map(fields => fields.filter(([key]) => !key.startsWith('#'))) // those become secrets
    .map(fields => `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
}))

it('any JSON comes back as the text that was sent, of a configuration, a row, their states and versions', async () => {
  let made = 0
  await fc.assert(
    fc.asyncProperty(object, object, fc.boolean(), async (sent, changed, isText) => {
      const id = `exact-${++made}`
      const given = (text: string) => (isText ? JSON.stringify(text) : text)
      const send = async (method: string, path: string, fields: string) => {
        const body = `{"name":"exact",${fields}}`
        const reply = await routes.send(method, path, body, { 'content-type': 'application/json' })
        if (reply.status >= 300) throw new Error(reply.text)
      }
      const both = (text: string) => `"configuration":${given(text)},"state":${given(text)}`
      const shown = async (path: string, text: string) =>
        (await routes.send('GET', path)).text.split(`:${text},`).length - 1
      await send('POST', '', `"configurationId":"${id}",${both(sent)}`)
      await send('POST', `${id}/rows`, `"rowId":"r",${both(sent)}`)
      expect((await routes.send('GET', id)).text.split(sent).length).toBeGreaterThan(4)
      await send('PUT', id, both(changed))
      await send('PUT', `${id}/rows/r`, both(changed))
      expect((await routes.send('GET', id)).text).toContain(`"configuration":${changed}`)
      expect((await routes.send('GET', id)).text).toContain(`"state":${changed}`)
      expect(await shown(`${id}/rows/r`, changed)).toBeGreaterThan(0)
      expect(await shown(`${id}/versions/1`, sent)).toBeGreaterThan(0)
    }),
    { numRuns: 25 },
  )
}, 120_000)

it.each(['7615917337495251231', '1.10', '1.0', '-0', '1e5'])(
  '%s keeps its digits in metadata and events',
  async number => {
    const { service } = routes
    const type = { 'content-type': 'application/json' }
    const id = await routes.create()
    const list = `[{"key":"k","value":${number}},{"key":"json","value":${JSON.stringify(`{"10":${number},"2":[]}`)}}]`
    const path = `/v2/storage/branch/default/components/${componentId}/configs/${id}/metadata`
    const metadata = await service.call('POST', path, `{"metadata":${list}}`, type)
    expect(metadata.body.map(({ value }: { value: string }) => value)).toEqual([
      number,
      `{"10":${number},"2":[]}`,
    ])
    const details = `{"z":${number},"10":{},"2":[${number}]}`
    const event = `{"component":"${componentId}","message":"m","params":${details},"results":${details}}`
    const { text, body } = await service.call('POST', '/v2/storage/events', event, type)
    expect(text).toContain(`"params":${details},"results":${details}`)
    expect((await service.call('GET', `/v2/storage/events/${body.uuid}`)).text).toContain(
      `"params":${details}`,
    )
  },
)
