import { spawn } from 'node:child_process'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { type Command, option } from '../command.ts'
import { isServed } from '../is-served.ts'
import { serviceOptions } from '../storage-options.ts'
import { onService } from './on-service.ts'

export const open: Command = {
  description: 'open the console in the browser',
  options: [...serviceOptions, option('--print', 'print its address only')],
  run: onService<{ print?: boolean }>(async ({ api, out, flags }) => {
    const url = `${api.address.url.replace(/\/+$/, '')}/console`
    if (!(await isServed(url))) throw new UserError('cli.notFound', `${api.address.url} serves no console.`)
    out.show({ url }, () => out.line(url))
    if (!flags.print && !out.isJson) launch(url, out.say)
  }),
}

const launchers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }

const launch = (url: string, say: (text: string) => void): void => {
  const browser = spawn(launchers[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true })
  browser.on('error', () => say('No browser could be started: open the address yourself.'))
  browser.unref()
}
