"""The server, one process for all pictures, asked over its stdin."""

import json
import os
import subprocess
import threading

# So many requests are under way at once.
WINDOW = 16


class Genie:
    def __init__(self, server, folder, state):
        environment = {**os.environ, "DESKMATE_ROOTS": str(folder), "DESKMATE_HOME": str(state)}
        self.process = subprocess.Popen(
            [server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, encoding="utf-8"
        )

    def write(self, paths, metadata):
        """The answer for each path."""
        return self.ask(paths, lambda path: ("writeImageMetadata", {"filePath": str(path), "metadata": metadata}))

    def write_all(self, paths, metadata):
        """The answer for each path, of the tool that knows more fields."""
        return self.ask(paths, lambda path: ("batchWriteImageMetadata", {"paths": [str(path)], "metadata": metadata}))

    def undo(self, paths):
        return self.ask(paths, lambda path: ("undoImageMetadata", {"filePath": str(path)}))

    def ask(self, paths, call):
        free, answers = threading.Semaphore(WINDOW), {}

        def send():
            for number, path in enumerate(paths):
                free.acquire()
                method, params = call(path)
                request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()

        asking = threading.Thread(target=send, daemon=True)
        asking.start()
        for _ in paths:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"error: the server ended with {self.process.wait()} after {len(answers)} answers")
            answer = json.loads(line)
            answers[paths[answer["id"]]] = answer
            free.release()
        asking.join()
        return answers

    def close(self):
        self.process.stdin.close()
        return self.process.wait()
