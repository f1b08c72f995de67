import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isServed } from '../is-served.ts'
import { addServiceOptions, type ServiceFlags } from '../storage-options.ts'
import { runOnService } from './run-on-service.ts'

export const registerOpen = (program: Command): void => {
  addServiceOptions(program.command('open'))
    .description('open the console in the browser')
    .option('--print', 'print its address only')
    .action((flags: ServiceFlags & { print?: boolean }) =>
      runOnService(flags, async ({ api, out }) => {
        const url = `${api.address.url.replace(/\/+$/, '')}/console`
        if (!(await isServed(url)))
          throw new UserError('cli.notFound', `${api.address.url} serves no console.`)
        out.show({ url }, () => out.line(url))
        if (!flags.print && !out.isJson) launch(url, out.say)
        return undefined
      }),
    )
}

const launchers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }

const launch = (url: string, say: (text: string) => void): void => {
  const browser = spawn(launchers[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true })
  browser.on('error', () => say('No browser could be started: open the address yourself.'))
  browser.unref()
}
