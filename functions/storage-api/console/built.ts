import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import type { ApiClient } from './api-client.ts'

/** A step of the way to a page: its path and its name. */
export type Crumb = readonly [path: string, name: string]

/** A sentence about what a form did, shown once on the page that it leads to; and the form that undoes it. */
export const said = z.object({
  text: z.string(),
  undo: z.optional(
    z.object({
      action: z.string().check(z.startsWith('/console/')),
      fields: z.optional(z.record(z.string(), z.string())),
    }),
  ),
})
export type Said = z.infer<typeof said>

export interface PageBuilt {
  title: string
  body: Child
  /** Between the section and the page. */
  crumbs?: readonly Crumb[]
  /** Beside the title: what somebody comes here to do. */
  action?: Child
}

/** What a page or an action comes to: a whole page, a part of one that asked for itself again, or another address. */
export type Built = PageBuilt | { fragment: Child } | { redirect: string; said?: Said }

interface Asked {
  /** Of the path, decoded. */
  params: Record<string, string>
  query: Record<string, string>
}

/** A page: reads, never changes anything. */
export interface PageRoute {
  path: string
  /** The entry of the navigation that it belongs to. */
  at: string
  build: (client: ApiClient, asked: Asked & { now: Date }) => Promise<Built>
}

/** What the form of a page does. */
export interface ActionRoute {
  path: string
  at: string
  act: (client: ApiClient, asked: Asked & { form: Record<string, string> }) => Promise<Built>
}
