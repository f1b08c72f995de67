export const projectName = (id: number): string => `Project ${id}`
