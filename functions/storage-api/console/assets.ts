import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AssetNames } from './layout.tsx'

/** A file that browsers load. */
export interface Asset {
  type: string
  body: Uint8Array<ArrayBuffer>
}

const kinds = [
  ['console.js', 'text/javascript; charset=utf-8'],
  ['console.css', 'text/css; charset=utf-8'],
] as const

/**
 * The assets in a folder that the bundler has filled, by names that hold a digest of their content.
 *
 * @throws Error when the folder lacks one
 */
export const readAssets = (folder: string): ReadonlyMap<string, Asset> =>
  new Map(
    kinds.map(([file, type]) => {
      const path = join(folder, file)
      if (!existsSync(path)) throw new Error(`The console's ${file} is missing: it is made with the bundle`)
      const body = new Uint8Array(readFileSync(path))
      const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
      return [file.replace('.', `-${digest}.`), { type, body }]
    }),
  )

export const assetNames = (assets: ReadonlyMap<string, Asset>): AssetNames => {
  const named = (end: string): string => [...assets.keys()].find(name => name.endsWith(end)) ?? ''
  return { script: named('.js'), style: named('.css') }
}
