module.exports = {
  apps: [
    {
      name: 'app',
      script: 'dist/main.js',
      // One process for PM2: it has its own workers, and stops them.
      exec_mode: 'fork',
      env: { PORT: '3000', WORKERS: 'auto' },
      wait_ready: true,
      // PM2 sends SIGINT, and SIGKILL when so many milliseconds have gone by; its default is 1 600.
      kill_timeout: 30_000,
    },
  ],
}
