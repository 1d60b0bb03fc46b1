// The peer: MLIR 19's greedy driver on the chains of workloads.h, with the pattern of kGemmRule. Its operations are as lean as
// MLIR allows (registered, free of effects, no folder, no verifier of types), so it does less for a rewrite than we do.
#include <benchmark/benchmark.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>
#include <time.h>

#include <array>
#include <string>

#include "../meter.h"
#include "../warm_memory.h"

namespace vouch::bench {
namespace {

template <class Concrete, unsigned kOperands>
class PureOp : public mlir::Op<Concrete, mlir::OpTrait::OneResult, mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::ZeroRegions,
                               mlir::OpTrait::NOperands<kOperands>::template Impl, mlir::MemoryEffectOpInterface::Trait> {
 public:
  using Base = mlir::Op<Concrete, mlir::OpTrait::OneResult, mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::ZeroRegions,
                        mlir::OpTrait::NOperands<kOperands>::template Impl, mlir::MemoryEffectOpInterface::Trait>;
  using Base::Base;
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static void build(mlir::OpBuilder&, mlir::OperationState& state, mlir::Type type, mlir::ValueRange operands) {
    state.addTypes(type);
    state.addOperands(operands);
  }
  void getEffects(llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance>&) {}
};

struct MatMulOp : PureOp<MatMulOp, 2> {
  using PureOp::PureOp;
  static llvm::StringRef getOperationName() { return "chain.matmul"; }
};
struct AddOp : PureOp<AddOp, 2> {
  using PureOp::PureOp;
  static llvm::StringRef getOperationName() { return "chain.add"; }
};
struct GemmOp : PureOp<GemmOp, 3> {
  using PureOp::PureOp;
  static llvm::StringRef getOperationName() { return "chain.gemm"; }
};
// Stands for the operators of rules that match nowhere.
struct OtherOp : PureOp<OtherOp, 2> {
  using PureOp::PureOp;
  static llvm::StringRef getOperationName() { return "chain.other"; }
};
// Keeps the chain's end alive.
struct EndOp : mlir::Op<EndOp, mlir::OpTrait::ZeroResults, mlir::OpTrait::OneOperand> {
  using Op::Op;
  static llvm::StringRef getOperationName() { return "chain.end"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static void build(mlir::OpBuilder&, mlir::OperationState& state, mlir::Value value) { state.addOperands(value); }
};

class ChainDialect : public mlir::Dialect {
 public:
  explicit ChainDialect(mlir::MLIRContext* its_context) : Dialect("chain", its_context, mlir::TypeID::get<ChainDialect>()) {
    addOperations<MatMulOp, AddOp, GemmOp, OtherOp, EndOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "chain"; }
};

struct GemmPattern : mlir::OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(AddOp add, mlir::PatternRewriter& rewriter) const override {
    auto product = add->getOperand(0).getDefiningOp<MatMulOp>();
    if (!product) {
      return mlir::failure();
    }
    std::array<mlir::Value, 3> operands{product->getOperand(0), product->getOperand(1), add->getOperand(1)};
    rewriter.replaceOpWithNewOp<GemmOp>(add, add->getResult(0).getType(), operands);
    return mlir::success();
  }
};

// One of a thousand rules `Add(f(g(x)), b)` that match nowhere.
struct OtherPattern : mlir::OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(AddOp add, mlir::PatternRewriter& rewriter) const override {
    auto outer = add->getOperand(0).getDefiningOp<OtherOp>();
    if (!outer || !outer->getOperand(0).getDefiningOp<OtherOp>()) {
      return mlir::failure();
    }
    std::array<mlir::Value, 2> operands{outer->getResult(0), add->getOperand(1)};
    rewriter.replaceOpWithNewOp<OtherOp>(add, add->getResult(0).getType(), operands);
    return mlir::success();
  }
};

class Chain {
 public:
  Chain(mlir::MLIRContext& context, std::size_t calls, bool with_products)
      : module_(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))) {
    mlir::Location place = mlir::UnknownLoc::get(&context);
    auto type = mlir::RankedTensorType::get({4, 4}, mlir::Float32Type::get(&context));
    mlir::Block* body = module_->getBody();
    mlir::Value a = body->addArgument(type, place);
    mlir::Value b = body->addArgument(type, place);
    mlir::Value x = body->addArgument(type, place);
    auto builder = mlir::OpBuilder::atBlockBegin(body);
    for (std::size_t k = 0; k < calls; ++k) {
      if (with_products && k % 2 == 0) {
        x = builder.create<MatMulOp>(place, type, mlir::ValueRange{x, a})->getResult(0);
      } else {
        x = builder.create<AddOp>(place, type, mlir::ValueRange{x, b})->getResult(0);
      }
    }
    builder.create<EndOp>(place, x);
  }
  mlir::ModuleOp module() { return *module_; }
  std::size_t count_gemms() {
    std::size_t count = 0;
    for (mlir::Operation& op : *module_->getBody()) {
      count += mlir::isa<GemmOp>(op) ? 1 : 0;
    }
    return count;
  }

 private:
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

mlir::FrozenRewritePatternSet patterns(mlir::MLIRContext& context, std::size_t others) {
  mlir::RewritePatternSet set(&context);
  set.add<GemmPattern>(&context);
  for (std::size_t k = 0; k < others; ++k) {
    set.add<OtherPattern>(&context);
  }
  return mlir::FrozenRewritePatternSet(std::move(set));
}

mlir::GreedyRewriteConfig settings() {
  mlir::GreedyRewriteConfig out;
  out.useTopDownTraversal = true;
  out.enableRegionSimplification = mlir::GreedySimplifyRegionLevel::Disabled;
  out.maxIterations = mlir::GreedyRewriteConfig::kNoLimit;
  return out;
}

// Arguments as in bench_rewrite.cpp: nodes, further rules.
void scan(benchmark::State& state) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ChainDialect>();
  auto nodes = static_cast<std::size_t>(state.range(0));
  mlir::FrozenRewritePatternSet set = patterns(context, static_cast<std::size_t>(state.range(1)));
  Chain chain(context, nodes, false);
  Meter meter(state, nodes);
  for (auto _ : state) {
    double start = thread_seconds();
    (void)mlir::applyPatternsAndFoldGreedily(chain.module(), set, settings());
    meter.add(thread_seconds() - start);
  }
}

void rewrite_chain(benchmark::State& state) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ChainDialect>();
  auto pairs = static_cast<std::size_t>(state.range(0)) / 2;
  mlir::FrozenRewritePatternSet set = patterns(context, static_cast<std::size_t>(state.range(1)));
  Meter meter(state, pairs);
  for (auto _ : state) {
    Chain chain(context, 2 * pairs, true);
    double start = thread_seconds();
    (void)mlir::applyPatternsAndFoldGreedily(chain.module(), set, settings());
    meter.add(thread_seconds() - start);
    if (chain.count_gemms() != pairs) {
      state.SkipWithError("not every pair was rewritten");
    }
  }
}

BENCHMARK(scan)->ArgsProduct({{1000, 10'000, 100'000, 1'000'000}, {0}})->Args({100'000, 1000})->UseManualTime();
BENCHMARK(rewrite_chain)->ArgsProduct({{1000, 10'000, 100'000, 1'000'000}, {0}})->Args({10'000, 1000})->UseManualTime();

}  // namespace
}  // namespace vouch::bench

int main(int argc, char** argv) {
  vouch::bench::keep_memory_warm();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
