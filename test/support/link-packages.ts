import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Each package by a link. The cache of bundles is not linked: it goes with the copy. */
export const linkPackages = async (from: string, to: string): Promise<void> => {
  const names = (await readdir(from)).filter(name => name !== '.cache')
  await Promise.all(names.map(name => symlink(join(from, name), join(to, name))))
}
