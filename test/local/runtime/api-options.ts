import { join } from 'node:path'

/** Of an API that serves a bundle, at any free port. */
export const apiOptions = (codeFolder: string) => ({
  port: 0,
  bind: '127.0.0.1',
  codeFolder,
  memoryMiB: 128,
  temporary: join(codeFolder, 'tmp'),
  host: Promise.resolve({}),
  onOutput: () => {},
  log: () => {},
})
