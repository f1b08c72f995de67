import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { anchorOf } from '../../docs/.vitepress/anchor-of.ts'

const NOT_OURS = ['node_modules', 'cdk.out', '.git', '.millrace', 'coverage']

const filesOf = (root: string, pattern: string): string[] =>
  globSync(pattern, {
    cwd: root,
    exclude: path => NOT_OURS.some(name => path.split('/').includes(name)),
  }).sort()

/** Something that a file points to: `docs/reference/storage-api.md#jobs`. */
interface Reference {
  file: string
  line: number
  text: string
  /** Absolute, without the anchor. */
  path: string
  /** Empty: the file as a whole. */
  anchor: string
}

/**
 * Every reference of the repository that leads nowhere, as `file:line text`: relative links of Markdown with their anchors,
 * paths that Markdown names in backticks, and documents that TypeScript names in comments and texts.
 */
export const deadReferences = (root: string): string[] => {
  const anchors = new Map<string, Set<string>>()
  const hasAnchor = (path: string, anchor: string): boolean => {
    const known = anchors.get(path) ?? anchorsOf(readFileSync(path, 'utf8'))
    anchors.set(path, known)
    return known.has(anchor)
  }
  const isDead = ({ path, anchor }: Reference): boolean => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return true
    return anchor !== '' && path.endsWith('.md') && !hasAnchor(path, anchor)
  }
  return [...references(root)].filter(isDead).map(({ file, line, text }) => `${file}:${line} ${text}`)
}

function* references(root: string): Generator<Reference> {
  for (const file of filesOf(root, '{*.md,{docs,events,functions,infra,local,cli,test}/**/*.md}')) {
    const from = dirname(join(root, file))
    for (const [index, line] of withoutFences(readFileSync(join(root, file), 'utf8')).entries()) {
      const at = { file, line: index + 1 }
      for (const [, target = ''] of line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g))
        if (!/^[a-z]+:/i.test(target)) yield { ...at, ...resolved(root, from, file, target) }
      for (const [, path = ''] of line.matchAll(
        /`((?:functions|infra|local|cli|events|test|docs)\/[\w./-]+)`/g,
      ))
        yield { ...at, ...resolved(root, root, file, path) }
    }
  }
  for (const file of filesOf(root, '{functions,infra,local,cli,test}/**/*.ts'))
    for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries())
      for (const [target] of line.matchAll(/\bdocs\/[\w./-]*\.md(?:#[\w-]+)?/g))
        yield { file, line: index + 1, ...resolved(root, root, file, target) }
}

const resolved = (root: string, from: string, file: string, target: string) => {
  const [path = '', anchor = ''] = target.split('#')
  return { text: target, path: path === '' ? join(root, file) : resolve(from, path), anchor }
}

/** The lines, those of code fences blank. */
const withoutFences = (markdown: string): string[] => {
  let isFenced = false
  return markdown.split('\n').map(line => {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    return isFence || isFenced ? '' : line
  })
}

/** The anchors of a document, here and on the site; a second one of a name gets `-1`. */
export const anchorsOf = (markdown: string): Set<string> => {
  const anchors = new Set<string>()
  for (const line of withoutFences(markdown)) {
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? []
    if (heading === undefined) continue
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let unique = anchor
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  return anchors
}
