// A file of its own to be loaded later: a bundle gives a package of CommonJS without its names to `import()`.
export { createPatch } from 'rfc6902'
