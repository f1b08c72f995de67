import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { hexDigest } from '../../lib/digests.ts'
import type { AssetNames } from './frame.tsx'

/** A file that browsers load. */
export interface Asset {
  type: string
  body: Uint8Array<ArrayBuffer>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** What pages name. All else is loaded by these, under names that the bundler has made of the content. */
const entries = ['console.js', 'console.css']

/**
 * The assets in a folder that the bundler has filled, by names that hold a digest of their content.
 *
 * @throws Error when the folder lacks one
 */
export const readAssets = (folder: string): ReadonlyMap<string, Asset> => {
  const files = existsSync(folder) ? readdirSync(folder) : []
  const missing = entries.find(entry => !files.includes(entry))
  if (missing !== undefined)
    throw new Error(`The console's ${missing} is missing: it is made with the bundle`)
  return new Map(
    files.map(file => {
      const body = new Uint8Array(readFileSync(join(folder, file)))
      const digest = hexDigest(body, 12)
      const name = entries.includes(file) ? file.replace('.', `-${digest}.`) : file
      return [name, { type: types[extname(file)] ?? 'application/octet-stream', body }]
    }),
  )
}

export const assetNames = (assets: ReadonlyMap<string, Asset>): AssetNames => {
  const named = (end: string): string =>
    [...assets.keys()].find(name => name.startsWith('console-') && name.endsWith(end)) ?? ''
  return { script: named('.js'), style: named('.css') }
}
