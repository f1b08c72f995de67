import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { Route } from '#functions/storage-api/http/route.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'

/** Which of the routes answers a request, mounted in their order as the app mounts them. */
const answering = (mounted: readonly Route[]) => {
  const hono = new Hono()
  for (const route of mounted)
    hono.on(route.method, [route.routerPath], context => context.text(nameOf(route)))
  return async (method: string, path: string): Promise<string> =>
    (await hono.request(path, { method: method.toUpperCase() })).text()
}

const nameOf = ({ method, definition }: Route): string => `${method} ${definition.path}`

const pathOf = ({ definition }: Route): string => definition.path.replaceAll(/\{\w+\}/g, 'some-id')

describe('routes', () => {
  const answer = answering(routes)
  it.each(routes.map(route => [nameOf(route), route] as const))('%s is not shadowed', async (name, route) => {
    expect(await answer(route.method, pathOf(route))).toBe(name)
  })

  it('a parameter before a fixed path in its place would be found', async () => {
    const isInWay = answering(routes.toReversed())
    const shadowed: string[] = []
    for (const route of routes)
      if ((await isInWay(route.method, pathOf(route))) !== nameOf(route)) shadowed.push(nameOf(route))
    expect(shadowed).not.toEqual([])
  })
})
