import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const configs = 'components/keboola.runner-config-test/configs'
const run = Date.now().toString(36)

const target = await connectTarget()

const send = async (method: string, path: string, body?: object) => {
  const reply = await target.call(method, path, body)
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.body
}

describe('an id that a client chooses', () => {
  it.each(['App\\Tests\\Case::testOne', 'daily load', 'a:b', 'me@example.com', 'x.y_z-1'])(
    'is kept and found character by character: %s',
    async name => {
      const configurationId = `${name} ${run}`
      const path = `${configs}/${encodeURIComponent(configurationId)}`
      expect((await send('POST', configs, { configurationId, name: 'first' })).id).toBe(configurationId)
      try {
        for (const rowId of [name, `${name}:2`])
          expect((await send('POST', `${path}/rows`, { rowId, state: { at: rowId } })).id).toBe(rowId)
        await send('PUT', `${path}/rows/${encodeURIComponent(name)}`, { name: 'changed' })
        expect(await send('GET', path)).toMatchObject({
          id: configurationId,
          version: 4,
          rows: [
            { id: name, name: 'changed', version: 2, state: { at: name } },
            { id: `${name}:2`, version: 1, state: { at: `${name}:2` } },
          ],
        })
        const row = `${path}/rows/${encodeURIComponent(`${name}:2`)}`
        expect(await send('GET', `${row}/versions`)).toMatchObject([{ version: 1 }])
        await send('POST', `${path}/versions/2/rollback`)
        expect((await send('GET', path)).rows).toMatchObject([{ id: name, version: 3 }])
        const listed = await send('GET', configs)
        expect(listed.map(({ id }: { id: string }) => id)).toContain(configurationId)
        const params = new URLSearchParams({ idComponent: 'keboola.runner-config-test', configurationId })
        expect(await send('GET', `search/component-configurations?${params}`)).toMatchObject([
          { configurationId },
        ])
      } finally {
        await send('DELETE', path)
      }
    },
  )

  it.each(['a/b', '.', '..', ' a', 'a ', 'a?b', 'a#b', 'a%b', 'ä'])('is refused: "%s"', async id => {
    const refused = { status: 400, body: { code: 'storage.components.validation' } }
    expect(await target.call('POST', configs, { configurationId: id, name: 'n' })).toMatchObject(refused)
    const configurationId = `plain-${run}-${encodeURIComponent(id).replaceAll(/[^A-Za-z0-9]/g, '')}`
    await send('POST', configs, { configurationId, name: 'n' })
    expect(await target.call('POST', `${configs}/${configurationId}/rows`, { rowId: id })).toMatchObject(
      refused,
    )
    await send('DELETE', `${configs}/${configurationId}`)
  })
})
