import { expect, it } from 'vitest'
import { startConfigurationRoutes } from '#support/configuration-routes.ts'

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
