import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Child } from 'hono/jsx'

type PageStatus = 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500

export const htmlPage = (context: Context, page: Child, status: PageStatus = 200) =>
  context.html(html`<!doctype html>${page}`, status)
