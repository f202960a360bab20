#include "command_line.hpp"

int main(int count, char** words) { return static_cast<int>(sinter::command::run(count, words)); }
