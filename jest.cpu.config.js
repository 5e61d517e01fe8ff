import base from './jest.config.js'
export default { ...base, setupFilesAfterEnv: ['/work/notes/cpu.cjs', ...base.setupFilesAfterEnv] }
