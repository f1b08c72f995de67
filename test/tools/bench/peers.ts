import { join } from 'node:path'
import { fetchPython } from '../../contracts/implementations/cache.ts'

/** A program in Python that does what one of our commands does, with a library of others. */
export interface Peer {
  name: string
  /** A file of the folder `peers`. */
  program: string
  /** Of PyPI. */
  packages: readonly string[]
}

export interface FoundPeer extends Peer {
  /** In which its packages are found. */
  env: Record<string, string>
}

export const peerProgram = ({ program }: Peer): string => join(import.meta.dirname, 'peers', program)

/** Those whose packages are there or can be brought; a sentence says which cannot. */
export const findPeers = async (peers: readonly Peer[]): Promise<FoundPeer[]> => {
  const found: FoundPeer[] = []
  for (const peer of peers) {
    const env = await fetchPython(peer.packages)
    if (env === undefined)
      console.error(`${peer.name} is left out: Python could not bring ${peer.packages.join(', ')}.`)
    else found.push({ ...peer, env: { PYTHONPATH: env['PYTHONPATH'] ?? '' } })
  }
  return found
}
