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
  /** Seconds after which the page is looked at again while it is open. Default: it is not. */
  live?: number | undefined
}

/** What a page or a form comes to: a page, or another address with a sentence about what was done. */
export type Built = PageBuilt | { redirect: string; said?: Said | undefined }

interface Asked<Name extends string> {
  client: ApiClient
  /** Of the path, decoded. */
  params: Record<Name, string>
  query: Record<string, string>
  /** The fields of the form; none of a page. */
  form: Record<string, string>
  now: Date
}

export interface Route {
  method: 'GET' | 'POST'
  path: string
  run: (asked: Asked<string>) => Promise<Built>
}

type NamesIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

type Run<Path extends string> = (asked: Asked<NamesIn<Path>>) => Promise<Built>

const route = <Path extends string>(method: Route['method'], path: Path, run: Run<Path>): Route => ({
  method,
  path,
  run: run as Route['run'], // what the path names is there when it matches
})

/** A page: reads, never changes anything. */
export const page = <Path extends string>(path: Path, run: Run<Path>): Route => route('GET', path, run)

/** What the form of a page does. */
export const form = <Path extends string>(path: Path, run: Run<Path>): Route => route('POST', path, run)
