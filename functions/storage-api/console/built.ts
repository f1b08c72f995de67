import type { Child } from 'hono/jsx'
import type { ApiClient } from './api-client.ts'

/** What a page or an action comes to: a whole page, a part of one that asked for itself again, or another address. */
export type Built = { title: string; body: Child } | { fragment: Child } | { redirect: string }

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
