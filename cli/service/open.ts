import { spawn } from 'node:child_process'
import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isServed } from '../connect/is-served.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { flag } from '../shell/command.ts'

export const open = serviceCommand({
  description: 'open the console in the browser, signed in',
  options: { ...serviceOptions, print: flag('print its address only') },
  run: async ({ api, out, flags }) => {
    const home = `${api.address.url.replace(/\/+$/, '')}/console`
    if (!(await isServed(home))) throw new UserError('cli.notFound', `${api.address.url} serves no console.`)
    const url = await linkTo(home, api.address.token)
    out.show({ url }, () => out.line(url))
    if (url !== home) out.say('The link signs in with your token: once, within two minutes.')
    if (!flags.print && !out.isJson) launch(url, out.say)
  },
})

const link = z.object({ url: z.string() })

/** A link that signs in; the console itself when it makes none. */
const linkTo = async (home: string, token: string): Promise<string> => {
  const reply = await fetch(`${home}/sign-in/link`, {
    method: 'POST',
    headers: { 'X-StorageApi-Token': token, Origin: new URL(home).origin },
    redirect: 'error',
  })
  if (!reply.ok) return home
  return link.parse(await reply.json()).url
}

const launchers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }

const launch = (url: string, say: (text: string) => void): void => {
  const browser = spawn(launchers[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true })
  browser.on('error', () => say('No browser could be started: open the address yourself.'))
  browser.unref()
}
