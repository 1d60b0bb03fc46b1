// What nearly every test includes, compiled once: no file relies on it (each still includes what it uses).
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "precompiled.h"
